import type { ImportedDay, ImportedTask } from '#resources/imports/imported-task.ts'
import type { DateOrder } from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/plan.ts'

/** The fields of a row that hold days. Each may be written in another order. */
type DayField = 'start_date' | 'due_date' | 'comment'

const keyOf = (field: DayField, separator: string) => `${field} ${separator}`

/** The day that a text of the file means, by the orders of the plan. */
export function resolveDay(
  { day_orders, date_order }: Pick<ImportPlan, 'day_orders' | 'date_order'>,
  field: DayField,
  day: ImportedDay | null,
): string | null {
  if (day === null || typeof day === 'string') return day
  const order = day_orders[keyOf(field, day.separator)] ?? date_order?.order ?? 'day_first'
  return day[order] ?? day[order === 'day_first' ? 'month_first' : 'day_first']
}

/** How the days of one field with one separator were written. */
interface DayEvidence {
  field: DayField
  separator: string
  /** Days that can only be read in one order. */
  day_first: number
  month_first: number
  /** Days that can be read in both. */
  ambiguous: number
  example: string
}

/** Counts how the days of a file are written, and decides on the order of day and month. */
export function createDayOrderCounter() {
  const evidence = new Map<string, DayEvidence>()
  function add(field: DayField, day: ImportedDay | null): void {
    if (day === null || typeof day === 'string') return
    const { separator, day_first, month_first } = day
    const key = keyOf(field, separator)
    const one = evidence.get(key) ?? {
      field,
      separator,
      day_first: 0,
      month_first: 0,
      ambiguous: 0,
      example: '',
    }
    evidence.set(key, one)
    if (day_first === null) one.month_first += 1
    else if (month_first === null) one.day_first += 1
    else {
      one.ambiguous += 1
      one.example ||= toExample(day_first, separator)
    }
  }
  return {
    add({ start_date, due_date, comments }: ImportedTask): void {
      add('start_date', start_date)
      add('due_date', due_date)
      for (const { at } of comments) add('comment', at)
    },
    /**
     * One day that can only be read in one order decides for its field. Otherwise the other fields
     * decide, and then days with other separators. If none does, or they contradict each other, it
     * is a question, to which the earlier answer holds, or else the guess.
     */
    decide(before: ImportPlan['date_order'], guess: DateOrder) {
      const all = [...evidence.values()]
      const day_orders: ImportPlan['day_orders'] = {}
      const open: DayEvidence[] = []
      for (const one of all) {
        if (one.ambiguous === 0) continue
        // Nobody writes the month first with dots, unless all days of the field show it.
        const usual = one.separator === '.' ? 'day_first' : undefined
        const order =
          orderOf([one]) ??
          usual ??
          (contradicts(one)
            ? undefined
            : (orderOf(all.filter(({ separator }) => separator === one.separator)) ?? orderOf(all)))
        if (order) day_orders[keyOf(one.field, one.separator)] = order
        else open.push(one)
      }
      const [first] = open
      if (!first) return { day_orders, date_order: null }
      const sum = (count: (one: DayEvidence) => number) =>
        open.reduce((total, one) => total + count(one), 0)
      const balance = sum(({ day_first, month_first }) => day_first - month_first)
      const likely = balance === 0 ? guess : balance > 0 ? 'day_first' : 'month_first'
      return {
        day_orders,
        date_order: {
          order: before?.order ?? likely,
          count: sum(({ ambiguous }) => ambiguous),
          example: first.example,
        },
      }
    },
  }
}

/** The order that days show, if they agree. */
function orderOf(all: readonly DayEvidence[]): DateOrder | undefined {
  const has = (order: DateOrder) => all.some((one) => one[order] > 0)
  if (has('day_first') === has('month_first')) return undefined
  return has('day_first') ? 'day_first' : 'month_first'
}

const contradicts = (one: DayEvidence) => one.day_first > 0 && one.month_first > 0

/** A text with two readings, as a file writes it: `3/4/2026`. */
function toExample(day: string, separator: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return [date, month, year].join(separator)
}

/** Time zones of the countries that write the month first: the United States and the Philippines. */
const MONTH_FIRST_TIMEZONES =
  /^(US\/|America\/(New_York|Chicago|Denver|Los_Angeles|Phoenix|Anchorage|Detroit|Boise|Indiana|Indianapolis|Kentucky|Louisville|North_Dakota|Menominee|Juneau|Sitka|Nome|Yakutat|Metlakatla|Adak|Puerto_Rico)|Pacific\/(Honolulu|Guam|Pago_Pago|Saipan)|Asia\/Manila)/

/** The order of day and month that is usual where a time zone is. */
export const guessDateOrder = (timezone: string): DateOrder =>
  MONTH_FIRST_TIMEZONES.test(timezone) ? 'month_first' : 'day_first'
