import { civil, daysOfMonth, isLeap, numberOf, weekdayOf } from './calendar.ts'
import { dayNumber, dayOf } from './days.ts'
import type { ByDay, Rule } from './rule.ts'

/**
 * The first day not before `from` of a rule started at `start`, or undefined when none comes before
 * the year 10000 (or UNTIL). COUNT is not looked at.
 */
export function firstDayOf(rule: Rule, start: string, from: string): string | undefined {
  const [origin, lowest] = [dayNumber(start), Math.max(dayNumber(start), dayNumber(from))]
  const last = dayNumber(rule.until ?? LAST_DAY)
  const periods = periodsOf(rule, origin)
  const fits = matcherOf(rule, origin)
  const positions = new Set(rule.bySetPos)
  const barren = new Set<number>()
  const skipped = Math.max(0, Math.floor(periods.indexOf(lowest) / rule.interval))
  const cycle = CYCLE[rule.freq] / divisorOf(CYCLE[rule.freq], rule.interval)
  for (let index = skipped; index <= skipped + cycle; index += 1) {
    const first = periods.firstDay(index * rule.interval)
    if (first > last) return
    const kind = kindOf(first)
    if (barren.has(kind)) continue
    const days = picked(
      fitting(first, periods.firstDay(index * rule.interval + 1), fits),
      positions,
    )
    if (days.length === 0) barren.add(kind)
    const found = days.find((day) => day >= lowest)
    if (found !== undefined) return found <= last ? dayOf(found) : undefined
  }
  return
}

const LAST_DAY = '9999-12-31'

/** After 400 years the calendar begins anew, weekdays included: what was not met will never be. */
const CYCLE = { DAILY: 146_097, WEEKLY: 20_871, MONTHLY: 4_800, YEARLY: 400 }

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b))

/**
 * Periods that begin at the same date and weekday of like years have the same days, so one without
 * any need not be tried again: a rule that is never met costs 14 years of days, not 400.
 */
function kindOf(first: number): number {
  const { year, month, date } = civil(first)
  return ((month * 32 + date) * 7 + weekdayOf(first)) * 2 + (isLeap(year) ? 1 : 0)
}

/** The periods of a frequency by their number, counted from the one in which the rule started. */
type Periods = { indexOf: (day: number) => number; firstDay: (index: number) => number }

function periodsOf(rule: Rule, origin: number): Periods {
  const { year, month } = civil(origin)
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
        indexOf: (day) => (civil(day).year - year) * 12 + civil(day).month - month,
        firstDay: (index) => numberOf(year, month + index, 1),
      }
    case 'YEARLY':
      return {
        indexOf: (day) => civil(day).year - year,
        firstDay: (index) => numberOf(year + index, 1, 1),
      }
  }
}

/**
 * Does a day satisfy every BY part? Within the days of a period that is both what RFC 5545 calls
 * expanding and limiting. What no part says is taken from the start.
 */
function matcherOf(rule: Rule, origin: number): (day: number) => boolean {
  const start = civil(origin)
  const implied = rule.byDay.length + rule.byMonthDay.length === 0 && rule.freq !== 'DAILY'
  const weekly = implied && rule.freq === 'WEEKLY'
  const monthly = implied && !weekly
  const yearly = monthly && rule.freq === 'YEARLY' && rule.byMonth.length === 0
  const byDay = weekly ? [{ weekday: weekdayOf(origin), nth: undefined }] : rule.byDay
  const months = bitsOf(yearly ? [start.month] : rule.byMonth)
  const dates = monthly ? [start.date] : rule.byMonthDay
  const fromStart = bitsOf(dates.filter((date) => date > 0))
  const fromEnd = bitsOf(dates.filter((date) => date < 0).map((date) => -date))
  const isOfYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0
  const fitsWeekday = weekdayMatcherOf(byDay, isOfYear)
  return (day) => {
    const { year, month, date } = civil(day)
    if (months !== 0 && !has(months, month)) return false
    if (dates.length > 0 && !has(fromStart, date)) {
      if (fromEnd === 0 || !has(fromEnd, daysOfMonth(year, month) - date + 1)) return false
    }
    return fitsWeekday(day)
  }
}

/** A set of numbers from 0 to 31 in the bits of one: twice as fast here as a Set. */
const bitsOf = (numbers: number[]) => numbers.reduce((bits, number) => bits | (1 << number), 0)
const has = (bits: number, number: number) => (bits & (1 << number)) !== 0

/** As for BYDAY alone; an nth weekday is that of the year or of the month. */
function weekdayMatcherOf(byDay: ByDay[], isOfYear: boolean): (day: number) => boolean {
  const all = new Set(byDay.filter(({ nth }) => nth === undefined).map(({ weekday }) => weekday))
  const some = new Set(byDay.map(({ weekday, nth = 0 }) => weekday + 7 * nth))
  return (day) => {
    const weekday = weekdayOf(day)
    if (byDay.length === 0 || all.has(weekday)) return true
    if (all.size === byDay.length) return false
    const { year, month, date } = civil(day)
    const at = isOfYear ? day - numberOf(year, 1, 1) + 1 : date
    const length = isOfYear ? (isLeap(year) ? 366 : 365) : daysOfMonth(year, month)
    const [nth, nthLast] = [Math.ceil(at / 7), -Math.ceil((length - at + 1) / 7)]
    return some.has(weekday + 7 * nth) || some.has(weekday + 7 * nthLast)
  }
}

function fitting(first: number, next: number, fits: (day: number) => boolean): number[] {
  const days: number[] = []
  for (let day = first; day < next; day += 1) if (fits(day)) days.push(day)
  return days
}

/** The days of a period that BYSETPOS leaves, in order. */
function picked(days: number[], positions: Set<number>): number[] {
  if (positions.size === 0) return days
  return days.filter((_, at) => positions.has(at + 1) || positions.has(at - days.length))
}
