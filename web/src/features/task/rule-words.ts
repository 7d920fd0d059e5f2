import { addDays, formatDay } from '../../lib/day.ts'
import { parseRule, type Rule } from '../../lib/rule.ts'
import { formatter } from '../../lib/viewer.ts'
import { m } from '../../messages/task.ts'

/** A Monday: the first day of a week of which the names of days are taken. */
const MONDAY = '2024-01-01'

/** A rule in words: "every 2 weeks on Mon and Fri"; a rule that is none as it stands. */
export function ruleWords(text: string, basis: 'due_date' | 'completion' = 'due_date'): string {
  const rule = parseRule(text)
  if (!rule) return text
  const parts = [
    m.every(rule.interval, m.repeatUnits[rule.freq](rule.interval)),
    daysOf(rule),
    rule.byMonth.length > 0 ? m.inMonths(rule.byMonth.map(monthName)) : '',
    rule.until === undefined ? '' : m.untilDay(formatDay(rule.until)),
    rule.count === undefined ? '' : m.times(rule.count - 1),
    basis === 'completion' ? m.afterDone : '',
  ]
  return parts.filter(Boolean).join(' ')
}

function daysOf({ byDay, byMonthDay, bySetPos }: Rule): string {
  const days = byDay.map(({ weekday, nth }) =>
    nth === undefined ? dayName(weekday) : m.nthDay(m.nth(nth), dayName(weekday)),
  )
  const workdays = byDay.length === 5 && byDay.every(({ weekday, nth }) => weekday < 6 && !nth)
  if (bySetPos.length > 0) {
    const of = workdays ? m.weekday : days.join('/')
    return m.onThe(bySetPos.map((n) => m.nthDay(m.nth(n), of)))
  }
  if (workdays) return m.onDays([`${dayName(1)}–${dayName(5)}`])
  if (byMonthDay.length > 0) {
    const dates = m.onThe(byMonthDay.map((n) => m.dayOfMonth(m.nth(n))))
    return days.length > 0 ? `${dates} ${m.onDays(days)}` : dates
  }
  if (days.length === 0) return ''
  return byDay.some(({ nth }) => nth !== undefined) ? m.onThe(days) : m.onDays(days)
}

/** "Mon": 1 is Monday. */
export const dayName = (weekday: number): string =>
  formatDay(addDays(MONDAY, weekday - 1), 'weekday')

const monthName = (month: number): string =>
  formatter({ month: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, month - 1, 1))
