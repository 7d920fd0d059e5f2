import {
  addDaysToDate,
  addMonthsToDate,
  isoWeekday,
  type PlainDate,
  startOfMonth,
  startOfWeek,
} from './plain-date.ts'
import { parseRuleParts, type RecurrenceRuleParts } from './recurrence-rule.ts'

interface RecurrencePreviewInput {
  basis: 'due_date' | 'completion'
  due_date: PlainDate | null
  today: PlainDate
}

/**
 * The next days of a recurring task, each computed from the one before, as the server does if each
 * is completed in time. For display only; the server computes the actual dates.
 */
export function previewOccurrences(
  text: string,
  { basis, due_date, today }: RecurrencePreviewInput,
  maxDays = 3,
) {
  const rule = parseRuleParts(text)
  const days: PlainDate[] = []
  if (!rule) return days
  const remaining = Math.min(maxDays, (rule.count ?? maxDays + 1) - 1)
  let start = basis === 'completion' ? today : (due_date ?? today)
  let from = basis === 'due_date' && start < today ? today : addDaysToDate(start, 1)
  while (days.length < remaining) {
    const day = findFirstDay(rule, start, from)
    if (day === undefined) break
    days.push(day)
    start = day
    from = addDaysToDate(day, 1)
  }
  return days
}

/** Enough for all practical rules; e.g. 29 February in every 999th year is not found. */
const MAX_PERIODS = { DAILY: 3_660, WEEKLY: 1_040, MONTHLY: 480, YEARLY: 60 }

/** The first day of a rule starting at `start` that is not before `from`. */
function findFirstDay(
  rule: RecurrenceRuleParts,
  start: PlainDate,
  from: PlainDate,
): PlainDate | undefined {
  for (let index = 0; index < MAX_PERIODS[rule.freq]; index += 1) {
    const [first, end] = getPeriod(rule, start, index * rule.interval)
    if (rule.until !== undefined && first > rule.until) return
    if (end <= from && rule.freq !== 'YEARLY') continue
    const found = matchingDays(rule, start, first, end).find((day) => day >= start && day >= from)
    if (found !== undefined) {
      return rule.until === undefined || found <= rule.until ? found : undefined
    }
  }
  return
}

/** The first day of a period and the day after its end, counted from the period of `start`. */
function getPeriod(
  { freq, weekStart }: RecurrenceRuleParts,
  start: PlainDate,
  index: number,
): [PlainDate, PlainDate] {
  if (freq === 'DAILY') return [addDaysToDate(start, index), addDaysToDate(start, index + 1)]
  if (freq === 'WEEKLY') {
    const first = addDaysToDate(startOfWeek(start, weekStart), index * 7)
    return [first, addDaysToDate(first, 7)]
  }
  if (freq === 'MONTHLY') {
    const first = addMonthsToDate(startOfMonth(start), index)
    return [first, addMonthsToDate(first, 1)]
  }
  const first = addMonthsToDate(`${start.slice(0, 4)}-01-01`, index * 12)
  return [first, addMonthsToDate(first, 12)]
}

function matchingDays(
  rule: RecurrenceRuleParts,
  start: PlainDate,
  first: PlainDate,
  end: PlainDate,
): PlainDate[] {
  const days: PlainDate[] = []
  for (let day = first; day < end; day = addDaysToDate(day, 1))
    if (matchesRule(rule, start, day)) days.push(day)
  if (rule.bySetPos.length === 0) return days
  return days.filter((_, at) => {
    return rule.bySetPos.includes(at + 1) || rule.bySetPos.includes(at - days.length)
  })
}

function matchesRule(rule: RecurrenceRuleParts, start: PlainDate, day: PlainDate): boolean {
  const { freq, byDay, byMonthDay, byMonth } = rule
  const [, month = 1, date = 1] = splitNumbers(day)
  const [, startMonth, startDate] = splitNumbers(start)
  if (byMonth.length > 0 && !byMonth.includes(month)) return false
  if (byMonthDay.length > 0) {
    const daysAfter =
      Number(addDaysToDate(addMonthsToDate(startOfMonth(day), 1), -1).slice(8)) - date
    if (!byMonthDay.includes(date) && !byMonthDay.includes(-daysAfter - 1)) return false
  }
  if (byDay.length > 0) return byDay.some((one) => isNthWeekday(one, rule, day))
  if (byMonthDay.length > 0 || freq === 'DAILY') return true
  if (freq === 'WEEKLY') return isoWeekday(day) === isoWeekday(start)
  const sameMonth = freq === 'MONTHLY' || byMonth.length > 0 || month === startMonth
  return sameMonth && date === startDate
}

/** Whether a day is the given weekday: any, or the nth one of its month or year. */
function isNthWeekday(
  { weekday, nth }: RecurrenceRuleParts['byDay'][number],
  rule: RecurrenceRuleParts,
  day: PlainDate,
): boolean {
  if (isoWeekday(day) !== weekday) return false
  if (nth === undefined) return true
  const ofYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0
  const within = (other: PlainDate) =>
    other.slice(0, ofYear ? 4 : 7) === day.slice(0, ofYear ? 4 : 7)
  const step = nth > 0 ? -7 : 7
  const reached = addDaysToDate(day, step * (Math.abs(nth) - 1))
  return within(reached) && !within(addDaysToDate(reached, step))
}

const splitNumbers = (day: PlainDate) => day.split('-').map(Number)
