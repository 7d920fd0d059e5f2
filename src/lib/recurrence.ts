import {
  addDays,
  civilFromDays,
  dayFromNumber,
  dayNumber,
  daysFromCivil,
  daysInMonth,
  isDay,
  isLeapYear,
  weekdayOf,
} from './days.ts'

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

/** A weekday, 0 for Monday; `nth` selects one of the month or year, from the end if negative. */
type RuleWeekday = { weekday: number; nth: number | undefined }

/** A parsed recurrence rule; a missing part is an empty list. */
type RecurrenceRule = {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  count: number | undefined
  /** The last possible day of the rule, `YYYY-MM-DD`. */
  until: string | undefined
  byDay: RuleWeekday[]
  byMonthDay: number[]
  byMonth: number[]
  bySetPos: number[]
  weekStart: number
}

/**
 * Parses an RFC 5545 RRULE value of days (at most 200 characters, upper case, each part once, in
 * any order). Undefined if it is invalid. An UNTIL with a time is reduced to its day in UTC.
 */
export function parseRecurrenceRule(text: string): RecurrenceRule | undefined {
  if (text.length > 200) return
  const parts = new Map<string, string>()
  for (const part of text.split(';')) {
    const [, name = '', value = ''] = PART.exec(part) ?? []
    if (!PART_PATTERNS[name]?.test(value) || parts.has(name)) return
    parts.set(name, value)
  }
  const freq = FREQUENCIES.find((name) => name === parts.get('FREQ'))
  if (!freq) return
  const rule = {
    freq,
    interval: Number(parts.get('INTERVAL') ?? 1),
    count: parts.has('COUNT') ? Number(parts.get('COUNT')) : undefined,
    until: parts.get('UNTIL')?.replace(/^(....)(..)(..).*/, '$1-$2-$3'),
    byDay: splitList(parts.get('BYDAY')).map(parseByDay),
    byMonthDay: splitList(parts.get('BYMONTHDAY')).map(Number),
    byMonth: splitList(parts.get('BYMONTH')).map(Number),
    bySetPos: splitList(parts.get('BYSETPOS')).map(Number),
    weekStart: WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'),
  }
  return hasValidCombination(rule) ? rule : undefined
}

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const PART = /^([A-Z]+)=(.+)$/s

/** RFC 5545 allows a sign and leading zeros in numbers; these patterns limit the digits. */
const PART_PATTERNS: Record<string, RegExp> = {
  FREQ: /^[A-Z]+$/,
  INTERVAL: /^0*[1-9]\d{0,2}$/,
  COUNT: /^0*[1-9]\d{0,2}$/,
  UNTIL: /^\d{8}(T([01]\d|2[0-3])[0-5]\d[0-5]\dZ)?$/,
  BYDAY: listPattern('([+-]?(0?[1-9]|[1-4]\\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)'),
  BYMONTHDAY: listPattern('[+-]?(0?[1-9]|[12]\\d|3[01])'),
  BYMONTH: listPattern('(0?[1-9]|1[0-2])'),
  BYSETPOS: listPattern('[+-]?(0{0,2}[1-9]|0?[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
}

function listPattern(item: string): RegExp {
  return new RegExp(`^${item}(,${item})*$`)
}

const splitList = (value: string | undefined) => value?.split(',') ?? []

const parseByDay = (text: string): RuleWeekday => ({
  weekday: WEEKDAYS.indexOf(text.slice(-2)),
  nth: text.length > 2 ? Number(text.slice(0, -2)) : undefined,
})

/** Checks the combinations of parts that RFC 5545 forbids. */
function hasValidCombination(rule: RecurrenceRule): boolean {
  const { freq, count, until, byDay, byMonthDay, byMonth, bySetPos } = rule
  if (count !== undefined && until !== undefined) return false
  if (until !== undefined && !isDay(until)) return false
  const hasNth = byDay.some((day) => day.nth !== undefined)
  if (hasNth && freq !== 'MONTHLY' && freq !== 'YEARLY') return false
  if (byMonthDay.length > 0 && freq === 'WEEKLY') return false
  return bySetPos.length === 0 || byDay.length + byMonthDay.length + byMonth.length > 0
}

/** The days from which the next one is computed; `basis` selects the start of the rule. */
type RecurrenceAnchor = { basis: 'due_date' | 'completion'; due_date: string; today: string }

/** Whether the text is an accepted RFC 5545 RRULE value that at least one day can satisfy. */
export function isRecurrenceRule(text: string): boolean {
  const rule = parseRecurrenceRule(text)
  if (!rule) return false
  const until =
    rule.until && rule.until < SATISFIABLE_RANGE.last ? rule.until : SATISFIABLE_RANGE.last
  return (
    firstOccurrence(
      { ...rule, interval: 1, until },
      SATISFIABLE_RANGE.first,
      SATISFIABLE_RANGE.first,
    ) !== undefined
  )
}

/**
 * The next due date of a valid rule: if the rule starts at the due date, the first day after it
 * that is not before today; if it starts today, the first day after today. Undefined if the rule is
 * exhausted: COUNT was 1, or there is no day up to UNTIL or the year 9999.
 */
export function nextDueDate(
  text: string,
  { basis, due_date, today }: RecurrenceAnchor,
): string | undefined {
  const rule = parseRecurrenceRule(text)
  // COUNT is the number of tasks in the chain, including this one, and decreases with each. Days
  // that passed without a completion created no task and do not count.
  if (!rule || rule.count === 1) return
  if (basis === 'completion') return firstOccurrence(rule, today, addDays(today, 1))
  return firstOccurrence(rule, due_date, due_date < today ? today : addDays(due_date, 1))
}

/** The rule of the next task, with COUNT less one. Not for a COUNT of 1, which ends the chain. */
export const decrementCount = (text: string): string => addToCount(text, -1)

/** The rule before `decrementCount`. */
export const incrementCount = (text: string): string => addToCount(text, 1)

const addToCount = (text: string, by: number): string =>
  text.replace(/(?<=^|;)COUNT=(\d+)/, (_, count: string) => `COUNT=${Number(count) + by}`)

/**
 * In these years every date, including 29 February, falls on every weekday. A start on 1 January
 * makes the parts that default to the start date easiest to satisfy.
 */
const SATISFIABLE_RANGE = { first: '1970-01-01', last: '1998-01-31' }
