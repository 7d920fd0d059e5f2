import {
  addDaysToDate,
  addMonthsToDate,
  isoWeekday,
  isPlainDate,
  type PlainDate,
  startOfMonth,
  startOfWeek,
  today,
} from './plain-date.ts'
import { translateTypedWords } from './translate-typed-words.ts'

/** A date that somebody has typed; `date: null` stands for "none". */
export interface ParsedWhen {
  date: PlainDate | null
  /** `HH:MM`, if a time was typed as well. */
  time?: string
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const NONE = /^(none|no|no date|never|clear|remove|-|–)$/
const TIME = /(?:^|\s)(?:at\s+)?(?:(\d{1,2}):([0-5]\d)|(\d{1,2})\s*(am|pm))$/

/**
 * Parses `today`, `tomorrow`, `fri`, `next fri`, `next week`, `+3d`, `in 2 weeks`, `24 Nov`,
 * `24.11.`, `2026-03-12`, each with an optional time (`fri 14:00`, `tomorrow 2pm`), and `none`.
 * Otherwise undefined.
 */
export function parseWhen(typed: string, now: PlainDate = today()): ParsedWhen | undefined {
  const text = translateTypedWords(typed.trim()).replace(/\s+/g, ' ')
  if (NONE.test(text)) return { date: null }
  const time = parseTime(text)
  if (time === null) return undefined
  const rest = text.replace(TIME, '').replace(/,$/, '')
  if (rest === '') return time === undefined ? undefined : { date: now, time }
  const date = parseDate(rest, now)
  if (date === undefined || !isPlainDate(date)) return undefined
  return { date, ...(time !== undefined && { time }) }
}

/** The time at the end of a text; undefined without one, null if it does not exist (25:00). */
function parseTime(text: string): string | null | undefined {
  const match = TIME.exec(text)
  if (!match) return undefined
  const [, hours, minutes = '00', hour12, meridiem] = match
  const hour =
    hour12 === undefined ? Number(hours) : (Number(hour12) % 12) + (meridiem === 'pm' ? 12 : 0)
  if (hour > 23 || Number(hour12 ?? 1) > 12 || hour12 === '0') return null
  return `${String(hour).padStart(2, '0')}:${minutes}`
}

function parseDate(text: string, now: PlainDate): PlainDate | undefined {
  if (isPlainDate(text)) return text
  if (/^(today|tod|now)$/.test(text)) return now
  if (/^(tomorrow|tom|tmr)$/.test(text)) return addDaysToDate(now, 1)
  if (text === 'yesterday') return addDaysToDate(now, -1)
  if (text === 'next week') return addDaysToDate(startOfWeek(now, 1), 7)
  if (text === 'next month') return addMonthsToDate(startOfMonth(now), 1)
  if (/^(eow|end of (the )?week)$/.test(text)) return addDaysToDate(startOfWeek(now, 1), 4)
  if (/^(eom|end of (the )?month)$/.test(text))
    return addDaysToDate(addMonthsToDate(startOfMonth(now), 1), -1)
  return parseWeekday(text, now) ?? parseDistance(text, now) ?? parseDayOfMonth(text, now)
}

/** "fri" is the coming Friday, never today; "next fri" is the Friday of next week. */
function parseWeekday(text: string, now: PlainDate): PlainDate | undefined {
  const [, next, name = ''] = /^(next )?([a-z]{2,})$/.exec(text) ?? []
  const at = findByPrefix(WEEKDAYS, name, 2)
  if (at === undefined) return undefined
  if (next) return addDaysToDate(startOfWeek(now, 1), 7 + at)
  return addDaysToDate(now, ((at + 1 - isoWeekday(now) + 6) % 7) + 1)
}

function parseDistance(text: string, now: PlainDate): PlainDate | undefined {
  const [, sign, amount, unit = ''] =
    /^(?:in )?([+-])?(\d{1,4}) ?(d|days?|w|weeks?|m|months?|y|years?)$/.exec(text) ?? []
  if (amount === undefined) return undefined
  const count = Number(amount) * (sign === '-' ? -1 : 1)
  if (unit.startsWith('d')) return addDaysToDate(now, count)
  if (unit.startsWith('w')) return addDaysToDate(now, count * 7)
  return addMonthsToDate(now, unit.startsWith('m') ? count : count * 12)
}

/** "24 Nov", "Nov 24", "24.11."; without a year the next such day. */
function parseDayOfMonth(text: string, now: PlainDate): PlainDate | undefined {
  const words =
    /^(?<day>\d{1,2})(?:st|nd|rd|th|\.)? ?(?<month>[a-z]{3,})\.?,?(?: (?<year>\d{4}))?$/.exec(
      text,
    ) ?? /^(?<month>[a-z]{3,})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?<year>\d{4}))?$/.exec(text)
  const digits = /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\.? ?(?<year>\d{4})?$/.exec(text)
  const { day, month = '', year } = (words ?? digits)?.groups ?? {}
  if (day === undefined) return undefined
  const number = digits ? Number(month) : (findByPrefix(MONTHS, month, 3) ?? -1) + 1
  const of = (y: string) => `${y}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
  if (year !== undefined) return of(year)
  const soon = of(now.slice(0, 4))
  return isPlainDate(soon) && soon >= now ? soon : of(String(Number(now.slice(0, 4)) + 1))
}

/** The index of the name that begins with the typed text, if that has a minimum length. */
function findByPrefix(
  names: readonly string[],
  typed: string,
  minLength: number,
): number | undefined {
  const at = names.findIndex((name) => name.startsWith(typed))
  return at >= 0 && typed.length >= minLength ? at : undefined
}
