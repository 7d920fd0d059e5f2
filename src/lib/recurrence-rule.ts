import { isDay } from './days.ts'

/** A weekday, 0 for Monday; `nth` selects one of the month or year, from the end if negative. */
export type RuleWeekday = { weekday: number; nth: number | undefined }

/** A parsed recurrence rule; a missing part is an empty list. */
export type RecurrenceRule = {
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
