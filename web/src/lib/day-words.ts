import {
  addDays,
  addMonths,
  isDay,
  type PlainDate,
  startOfMonth,
  startOfWeek,
  today,
  weekdayOf,
} from './day.ts'
import { inEnglish } from './typed-words.ts'

/** What somebody typed for a date; `date: null` is "none". */
export interface When {
  date: PlainDate | null
  /** `HH:MM`, where a time was typed, too. */
  time?: string
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july'],
  ...['august', 'september', 'october', 'november', 'december'],
]
const NONE = /^(none|no|no date|never|clear|remove|-|–)$/
const TIME = /(?:^|\s)(?:at\s+)?(?:(\d{1,2}):([0-5]\d)|(\d{1,2})\s*(am|pm))$/

/**
 * Reads `today`, `tomorrow`, `fri`, `next fri`, `next week`, `+3d`, `in 2 weeks`, `24 Nov`, `24.11.`, `2026-03-12`, `none`, and
 * a time after it (`fri 14:00`, `tomorrow 2pm`). Undefined if it is none of them.
 */
export function parseWhen(typed: string, now: PlainDate = today()): When | undefined {
  const text = inEnglish(typed.trim()).replace(/\s+/g, ' ')
  if (NONE.test(text)) return { date: null }
  const time = timeIn(text)
  if (time === null) return undefined
  const rest = text.replace(TIME, '').replace(/,$/, '')
  if (rest === '') return time === undefined ? undefined : { date: now, time }
  const date = dateIn(rest, now)
  if (date === undefined || !isDay(date)) return undefined
  return { date, ...(time !== undefined && { time }) }
}

/** Null where a time is typed that is none. */
function timeIn(text: string): string | null | undefined {
  const found = TIME.exec(text)
  if (!found) return undefined
  const [, hours, minutes = '00', hour12, half] = found
  const hour =
    hour12 === undefined ? Number(hours) : (Number(hour12) % 12) + (half === 'pm' ? 12 : 0)
  if (hour > 23 || Number(hour12 ?? 1) > 12 || hour12 === '0') return null
  return `${String(hour).padStart(2, '0')}:${minutes}`
}

function dateIn(text: string, now: PlainDate): PlainDate | undefined {
  if (isDay(text)) return text
  if (/^(today|tod|now)$/.test(text)) return now
  if (/^(tomorrow|tom|tmr)$/.test(text)) return addDays(now, 1)
  if (text === 'yesterday') return addDays(now, -1)
  if (text === 'next week') return addDays(startOfWeek(now, 1), 7)
  if (text === 'next month') return addMonths(startOfMonth(now), 1)
  if (/^(eow|end of (the )?week)$/.test(text)) return addDays(startOfWeek(now, 1), 4)
  if (/^(eom|end of (the )?month)$/.test(text)) return addDays(addMonths(startOfMonth(now), 1), -1)
  return weekdayIn(text, now) ?? distanceIn(text, now) ?? dayOfMonthIn(text, now)
}

/** The coming Friday, never today; "next fri" is that of next week. */
function weekdayIn(text: string, now: PlainDate): PlainDate | undefined {
  const [, next, name = ''] = /^(next )?([a-z]{2,})$/.exec(text) ?? []
  const at = named(WEEKDAYS, name, 2)
  if (at === undefined) return undefined
  if (next) return addDays(startOfWeek(now, 1), 7 + at)
  return addDays(now, ((at + 1 - weekdayOf(now) + 6) % 7) + 1)
}

function distanceIn(text: string, now: PlainDate): PlainDate | undefined {
  const [, sign, amount, unit = ''] =
    /^(?:in )?([+-])?(\d{1,4}) ?(d|days?|w|weeks?|m|months?|y|years?)$/.exec(text) ?? []
  if (amount === undefined) return undefined
  const count = Number(amount) * (sign === '-' ? -1 : 1)
  if (unit.startsWith('d')) return addDays(now, count)
  if (unit.startsWith('w')) return addDays(now, count * 7)
  return addMonths(now, unit.startsWith('m') ? count : count * 12)
}

/** "24 Nov", "Nov 24", "24.11.", with a year or without: then the next there is. */
function dayOfMonthIn(text: string, now: PlainDate): PlainDate | undefined {
  const words =
    /^(?<day>\d{1,2})(?:st|nd|rd|th|\.)? ?(?<month>[a-z]{3,})\.?,?(?: (?<year>\d{4}))?$/.exec(
      text,
    ) ?? /^(?<month>[a-z]{3,})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?<year>\d{4}))?$/.exec(text)
  const digits = /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\.? ?(?<year>\d{4})?$/.exec(text)
  const { day, month = '', year } = (words ?? digits)?.groups ?? {}
  if (day === undefined) return undefined
  const number = digits ? Number(month) : (named(MONTHS, month, 3) ?? -1) + 1
  const of = (y: string) => `${y}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
  if (year !== undefined) return of(year)
  const soon = of(now.slice(0, 4))
  return isDay(soon) && soon >= now ? soon : of(String(Number(now.slice(0, 4)) + 1))
}

/** Which of the names begins so, if it is that much of it at least. */
function named(names: readonly string[], typed: string, least: number): number | undefined {
  const at = names.findIndex((name) => name.startsWith(typed))
  return at >= 0 && typed.length >= least ? at : undefined
}
