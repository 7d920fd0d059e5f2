import { civilFromDays, daysFromCivil, daysInMonth, isLeapYear, weekdayOf } from './calendar.ts'
import { dayFromNumber, dayNumber } from './days.ts'
import type { RecurrenceRule, RuleWeekday } from './recurrence-rule.ts'

/**
 * The first day on or after `from` of a rule that starts at `start`; undefined if there is none
 * before the year 10000 (or UNTIL). Ignores COUNT.
 */
export function firstOccurrence(
  rule: RecurrenceRule,
  start: string,
  from: string,
): string | undefined {
  const [origin, minDay] = [dayNumber(start), Math.max(dayNumber(start), dayNumber(from))]
  const last = dayNumber(rule.until ?? LAST_DAY)
  const periods = periodsOf(rule, origin)
  const matches = matcherOf(rule, origin)
  const positions = new Set(rule.bySetPos)
  const emptyKinds = new Set<number>()
  const firstIndex = Math.max(0, Math.floor(periods.indexOf(minDay) / rule.interval))
  const cycle = CYCLE[rule.freq] / greatestCommonDivisor(CYCLE[rule.freq], rule.interval)
  for (let index = firstIndex; index <= firstIndex + cycle; index += 1) {
    const first = periods.firstDay(index * rule.interval)
    if (first > last) return
    const kind = kindOf(first)
    if (emptyKinds.has(kind)) continue
    const days = applySetPositions(
      listMatchingDays(first, periods.firstDay(index * rule.interval + 1), matches),
      positions,
    )
    if (days.length === 0) emptyKinds.add(kind)
    const found = days.find((day) => day >= minDay)
    if (found !== undefined) return found <= last ? dayFromNumber(found) : undefined
  }
  return
}

const LAST_DAY = '9999-12-31'

/**
 * Periods in 400 years, after which the calendar repeats, including weekdays: a rule without a day
 * in this time never has one.
 */
const CYCLE = { DAILY: 146_097, WEEKLY: 20_871, MONTHLY: 4_800, YEARLY: 400 }

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)

/**
 * Periods that begin at the same date and weekday, both in leap years or both not, have the same
 * days. An empty one is therefore not searched again: an unsatisfiable rule costs 14 years of days,
 * not 400.
 */
function kindOf(first: number): number {
  const { year, month, date } = civilFromDays(first)
  return ((month * 32 + date) * 7 + weekdayOf(first)) * 2 + (isLeapYear(year) ? 1 : 0)
}

/** The periods of a frequency, numbered from the one in which the rule starts. */
type Periods = { indexOf: (day: number) => number; firstDay: (index: number) => number }

function periodsOf(rule: RecurrenceRule, origin: number): Periods {
  const { year, month } = civilFromDays(origin)
  switch (rule.freq) {
    case 'DAILY':
      return { indexOf: (day) => day - origin, firstDay: (index) => origin + index }
    case 'WEEKLY': {
      const monday = origin - ((weekdayOf(origin) - rule.weekStart + 7) % 7)
      return {
        indexOf: (day) => Math.floor((day - monday) / 7),
        firstDay: (index) => monday + index * 7,
      }
    }
    case 'MONTHLY':
      return {
        indexOf: (day) => (civilFromDays(day).year - year) * 12 + civilFromDays(day).month - month,
        firstDay: (index) => daysFromCivil(year, month + index, 1),
      }
    case 'YEARLY':
      return {
        indexOf: (day) => civilFromDays(day).year - year,
        firstDay: (index) => daysFromCivil(year + index, 1, 1),
      }
  }
}

/**
 * Creates a function that checks whether a day satisfies all BY parts. Within the days of a period
 * this covers both the expanding and the limiting parts of RFC 5545. Missing parts default to the
 * start date.
 */
function matcherOf(rule: RecurrenceRule, origin: number): (day: number) => boolean {
  const start = civilFromDays(origin)
  const isImplied = rule.byDay.length + rule.byMonthDay.length === 0 && rule.freq !== 'DAILY'
  const takesWeekday = isImplied && rule.freq === 'WEEKLY'
  const takesDate = isImplied && !takesWeekday
  const takesMonth = takesDate && rule.freq === 'YEARLY' && rule.byMonth.length === 0
  const byDay = takesWeekday ? [{ weekday: weekdayOf(origin), nth: undefined }] : rule.byDay
  const months = bitsOf(takesMonth ? [start.month] : rule.byMonth)
  const dates = takesDate ? [start.date] : rule.byMonthDay
  const fromStart = bitsOf(dates.filter((date) => date > 0))
  const fromEnd = bitsOf(dates.filter((date) => date < 0).map((date) => -date))
  const isOfYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0
  const matchesWeekday = weekdayMatcherOf(byDay, isOfYear)
  return (day) => {
    const { year, month, date } = civilFromDays(day)
    if (months !== 0 && !hasBit(months, month)) return false
    if (dates.length > 0 && !hasBit(fromStart, date)) {
      if (fromEnd === 0 || !hasBit(fromEnd, daysInMonth(year, month) - date + 1)) return false
    }
    return matchesWeekday(day)
  }
}

/** A set of numbers from 0 to 31 as bits of one number: twice as fast here as a Set. */
const bitsOf = (numbers: number[]) => numbers.reduce((bits, number) => bits | (1 << number), 0)
const hasBit = (bits: number, number: number) => (bits & (1 << number)) !== 0

/** Checks BYDAY alone; `isOfYear` counts the nth weekday in the year instead of the month. */
function weekdayMatcherOf(byDay: RuleWeekday[], isOfYear: boolean): (day: number) => boolean {
  const everyWeek = new Set(
    byDay.filter(({ nth }) => nth === undefined).map(({ weekday }) => weekday),
  )
  const nthWeekdays = new Set(byDay.map(({ weekday, nth = 0 }) => weekday + 7 * nth))
  return (day) => {
    const weekday = weekdayOf(day)
    if (byDay.length === 0 || everyWeek.has(weekday)) return true
    if (everyWeek.size === byDay.length) return false
    const { year, month, date } = civilFromDays(day)
    const at = isOfYear ? day - daysFromCivil(year, 1, 1) + 1 : date
    const length = isOfYear ? (isLeapYear(year) ? 366 : 365) : daysInMonth(year, month)
    const [nth, nthLast] = [Math.ceil(at / 7), -Math.ceil((length - at + 1) / 7)]
    return nthWeekdays.has(weekday + 7 * nth) || nthWeekdays.has(weekday + 7 * nthLast)
  }
}

function listMatchingDays(
  first: number,
  next: number,
  matches: (day: number) => boolean,
): number[] {
  const days: number[] = []
  for (let day = first; day < next; day += 1) if (matches(day)) days.push(day)
  return days
}

/** The days of a period that BYSETPOS selects, in order. */
function applySetPositions(days: number[], positions: Set<number>): number[] {
  if (positions.size === 0) return days
  return days.filter((_, at) => positions.has(at + 1) || positions.has(at - days.length))
}
