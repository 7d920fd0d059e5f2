import { addDaysToDate, formatDay } from '../../../lib/dates/plain-date.ts'
import { parseRuleParts, type RecurrenceRuleParts } from '../../../lib/dates/recurrence-rule.ts'
import { getDateFormatter } from '../../../lib/locale/viewer.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'

/** A Monday, from which the names of the weekdays are formatted. */
const MONDAY = '2024-01-01'

/** Describes a rule: "every 2 weeks on Mon and Fri"; returns an invalid rule unchanged. */
export function describeRecurrence(
  text: string,
  basis: 'due_date' | 'completion' = 'due_date',
): string {
  const rule = parseRuleParts(text)
  if (!rule) return text
  const parts = [
    taskDetailMessages.every(
      rule.interval,
      taskDetailMessages.repeatUnits[rule.freq](rule.interval),
    ),
    formatRuleDays(rule),
    rule.byMonth.length > 0 ? taskDetailMessages.inMonths(rule.byMonth.map(formatMonth)) : '',
    rule.until === undefined ? '' : taskDetailMessages.untilDay(formatDay(rule.until)),
    rule.count === undefined ? '' : taskDetailMessages.times(rule.count - 1),
    basis === 'completion' ? taskDetailMessages.afterDone : '',
  ]
  return parts.filter(Boolean).join(' ')
}

/** Describes the days of a rule: "on the second Thu"; empty without any. */
export function formatRuleDays({
  byDay,
  byMonthDay,
  bySetPos,
}: Pick<RecurrenceRuleParts, 'byDay' | 'byMonthDay' | 'bySetPos'>): string {
  const days = byDay.map(({ weekday, nth }) =>
    nth === undefined
      ? formatWeekday(weekday)
      : taskDetailMessages.nthDay(taskDetailMessages.nth(nth), formatWeekday(weekday)),
  )
  const isEveryWorkday =
    byDay.length === 5 && byDay.every(({ weekday, nth }) => weekday < 6 && !nth)
  if (bySetPos.length > 0) {
    const dayLabel = isEveryWorkday ? taskDetailMessages.weekday : days.join('/')
    return taskDetailMessages.onThe(
      bySetPos.map((n) => taskDetailMessages.nthDay(taskDetailMessages.nth(n), dayLabel)),
    )
  }
  if (isEveryWorkday) return taskDetailMessages.onDays([`${formatWeekday(1)}–${formatWeekday(5)}`])
  if (byMonthDay.length > 0) {
    const dates = taskDetailMessages.onThe(
      byMonthDay.map((n) => taskDetailMessages.dayOfMonth(taskDetailMessages.nth(n))),
    )
    return days.length > 0 ? `${dates} ${taskDetailMessages.onDays(days)}` : dates
  }
  if (days.length === 0) return ''
  return byDay.some(({ nth }) => nth !== undefined)
    ? taskDetailMessages.onThe(days)
    : taskDetailMessages.onDays(days)
}

/** Formats a weekday, where 1 is Monday: "Mon". */
export const formatWeekday = (weekday: number): string =>
  formatDay(addDaysToDate(MONDAY, weekday - 1), 'weekday')

const formatMonth = (month: number): string =>
  getDateFormatter({ month: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, month - 1, 1))
