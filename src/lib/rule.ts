import { isDay } from './days.ts'

/** A weekday, 0 for Monday; with `nth` only the nth of its month or year, from the end if negative. */
export type ByDay = { weekday: number; nth: number | undefined }

/** A recurrence rule in parts; an empty list is a part that was not given. */
export type Rule = {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  count: number | undefined
  /** The last day that may be one of the rule, `YYYY-MM-DD`. */
  until: string | undefined
  byDay: ByDay[]
  byMonthDay: number[]
  byMonth: number[]
  bySetPos: number[]
  weekStart: number
}

/**
 * The parts of an RFC 5545 RRULE value of days (≤ 200 characters, capitals, each part once, in any
 * order), or undefined when it is not one. Of an UNTIL with a time, its day in UTC counts.
 */
export function ruleFrom(text: string): Rule | undefined {
  if (text.length > 200) return
  const parts = new Map<string, string>()
  for (const part of text.split(';')) {
    const [, name = '', value = ''] = PART.exec(part) ?? []
    if (!FORMS[name]?.test(value) || parts.has(name)) return
    parts.set(name, value)
  }
  const freq = FREQUENCIES.find((name) => name === parts.get('FREQ'))
  if (!freq) return
  const rule = {
    freq,
    interval: Number(parts.get('INTERVAL') ?? 1),
    count: parts.has('COUNT') ? Number(parts.get('COUNT')) : undefined,
    until: parts.get('UNTIL')?.replace(/^(....)(..)(..).*/, '$1-$2-$3'),
    byDay: listOf(parts.get('BYDAY')).map(byDayFrom),
    byMonthDay: listOf(parts.get('BYMONTHDAY')).map(Number),
    byMonth: listOf(parts.get('BYMONTH')).map(Number),
    bySetPos: listOf(parts.get('BYSETPOS')).map(Number),
    weekStart: WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'),
  }
  return isCoherent(rule) ? rule : undefined
}

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const PART = /^([A-Z]+)=(.+)$/s

/** RFC 5545 allows a sign and leading zeros in numbers, within the digits given here. */
const FORMS: Record<string, RegExp> = {
  FREQ: /^[A-Z]+$/,
  INTERVAL: /^0*[1-9]\d{0,2}$/,
  COUNT: /^0*[1-9]\d{0,2}$/,
  UNTIL: /^\d{8}(T([01]\d|2[0-3])[0-5]\d[0-5]\dZ)?$/,
  BYDAY: list('([+-]?(0?[1-9]|[1-4]\\d|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)'),
  BYMONTHDAY: list('[+-]?(0?[1-9]|[12]\\d|3[01])'),
  BYMONTH: list('(0?[1-9]|1[0-2])'),
  BYSETPOS: list('[+-]?(0{0,2}[1-9]|0?[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
}

function list(item: string): RegExp {
  return new RegExp(`^${item}(,${item})*$`)
}

const listOf = (value: string | undefined) => value?.split(',') ?? []

const byDayFrom = (text: string): ByDay => ({
  weekday: WEEKDAYS.indexOf(text.slice(-2)),
  nth: text.length > 2 ? Number(text.slice(0, -2)) : undefined,
})

/** What RFC 5545 asks of parts beside one another. */
function isCoherent(rule: Rule): boolean {
  const { freq, count, until, byDay, byMonthDay, byMonth, bySetPos } = rule
  if (count !== undefined && until !== undefined) return false
  if (until !== undefined && !isDay(until)) return false
  const nth = byDay.some((day) => day.nth !== undefined)
  if (nth && freq !== 'MONTHLY' && freq !== 'YEARLY') return false
  if (byMonthDay.length > 0 && freq === 'WEEKLY') return false
  return bySetPos.length === 0 || byDay.length + byMonthDay.length + byMonth.length > 0
}
