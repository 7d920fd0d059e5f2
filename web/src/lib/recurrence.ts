import { addDays, addMonths, type PlainDate, startOfMonth, startOfWeek, weekdayOf } from './day.ts'
import { parseRule, type Rule } from './rule.ts'

export interface Reckoning {
  basis: 'due_date' | 'completion'
  due_date: PlainDate | null
  today: PlainDate
}

/**
 * The next days on which a task comes again, at most `most`: each counted from the one before, as the
 * server counts them when each is completed in time. For showing only; the server has the last word.
 */
export function nextDays(text: string, { basis, due_date, today }: Reckoning, most = 3) {
  const rule = parseRule(text)
  const days: PlainDate[] = []
  if (!rule) return days
  const left = Math.min(most, (rule.count ?? most + 1) - 1)
  let start = basis === 'completion' ? today : (due_date ?? today)
  let from = basis === 'due_date' && start < today ? today : addDays(start, 1)
  while (days.length < left) {
    const day = firstDay(rule, start, from)
    if (day === undefined) break
    days.push(day)
    start = day
    from = addDays(day, 1)
  }
  return days
}

/** Enough for the rarest of rules: 29 February in every 999th year is beyond what anybody waits for. */
const MOST_PERIODS = { DAILY: 3_660, WEEKLY: 1_040, MONTHLY: 480, YEARLY: 60 }

/** The first day of a rule begun at `start` that is not before `from`. */
function firstDay(rule: Rule, start: PlainDate, from: PlainDate): PlainDate | undefined {
  for (let index = 0; index < MOST_PERIODS[rule.freq]; index += 1) {
    const [first, end] = period(rule, start, index * rule.interval)
    if (rule.until !== undefined && first > rule.until) return
    if (end <= from && rule.freq !== 'YEARLY') continue
    const found = daysIn(rule, start, first, end).find((day) => day >= start && day >= from)
    if (found !== undefined) {
      return rule.until === undefined || found <= rule.until ? found : undefined
    }
  }
  return
}

/** First day of a period and the day after it, counted from the one that `start` is in. */
function period(
  { freq, weekStart }: Rule,
  start: PlainDate,
  index: number,
): [PlainDate, PlainDate] {
  if (freq === 'DAILY') return [addDays(start, index), addDays(start, index + 1)]
  if (freq === 'WEEKLY') {
    const first = addDays(startOfWeek(start, weekStart), index * 7)
    return [first, addDays(first, 7)]
  }
  if (freq === 'MONTHLY') {
    const first = addMonths(startOfMonth(start), index)
    return [first, addMonths(first, 1)]
  }
  const first = addMonths(`${start.slice(0, 4)}-01-01`, index * 12)
  return [first, addMonths(first, 12)]
}

function daysIn(rule: Rule, start: PlainDate, first: PlainDate, end: PlainDate): PlainDate[] {
  const days: PlainDate[] = []
  for (let day = first; day < end; day = addDays(day, 1)) if (fits(rule, start, day)) days.push(day)
  if (rule.bySetPos.length === 0) return days
  return days.filter((_, at) => {
    return rule.bySetPos.includes(at + 1) || rule.bySetPos.includes(at - days.length)
  })
}

function fits(rule: Rule, start: PlainDate, day: PlainDate): boolean {
  const { freq, byDay, byMonthDay, byMonth } = rule
  const [, month = 1, date = 1] = numbersOf(day)
  const [, startMonth, startDate] = numbersOf(start)
  if (byMonth.length > 0 && !byMonth.includes(month)) return false
  if (byMonthDay.length > 0) {
    const left = Number(addDays(addMonths(startOfMonth(day), 1), -1).slice(8)) - date
    if (!byMonthDay.includes(date) && !byMonthDay.includes(-left - 1)) return false
  }
  if (byDay.length > 0) return byDay.some((one) => isThat(one, rule, day))
  if (byMonthDay.length > 0 || freq === 'DAILY') return true
  if (freq === 'WEEKLY') return weekdayOf(day) === weekdayOf(start)
  const sameMonth = freq === 'MONTHLY' || byMonth.length > 0 || month === startMonth
  return sameMonth && date === startDate
}

/** Whether a day is that weekday: any, or the nth of its month, or of its year. */
function isThat({ weekday, nth }: Rule['byDay'][number], rule: Rule, day: PlainDate): boolean {
  if (weekdayOf(day) !== weekday) return false
  if (nth === undefined) return true
  const ofYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0
  const within = (other: PlainDate) =>
    other.slice(0, ofYear ? 4 : 7) === day.slice(0, ofYear ? 4 : 7)
  const step = nth > 0 ? -7 : 7
  const reached = addDays(day, step * (Math.abs(nth) - 1))
  return within(reached) && !within(addDays(reached, step))
}

const numbersOf = (day: PlainDate) => day.split('-').map(Number)
