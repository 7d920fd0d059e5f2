import { getDateFormatter } from '../locale/viewer.ts'
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
import { toWallTime } from './time-zone.ts'
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
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
/** The times of day that are meant without a clock: "tomorrow morning", "friday at noon". */
const PARTS_OF_DAY: Readonly<Record<string, string>> = {
  morning: '09:00',
  noon: '12:00',
  afternoon: '15:00',
  evening: '18:00',
  night: '20:00',
  // The end of the day: what is due at its beginning would be late at once.
  midnight: '23:59',
}
const NONE = /^(none|no|no date|never|clear|remove|-|–)$/
const CLOCK = String.raw`(at )?(?:(\d{1,2})(?::([0-5]\d))?(?: ?(am|pm|uhr))?|(?:in the )?(${Object.keys(PARTS_OF_DAY).join('|')}))`
const PART_OF_DAY = new RegExp(`^(.+) (?:in the )?(${Object.keys(PARTS_OF_DAY).join('|')})$`)
const TIME_BEHIND = new RegExp(`(?:^|,? )${CLOCK}$`)
const TIME_BEFORE = new RegExp(`^${CLOCK},? (?:on |am )?(?=.)`)

/**
 * Parses `today`, `tomorrow`, `fri`, `next fri`, `friday next week`, `next week`, `this weekend`, `+3d`,
 * `in 2 weeks`, `24 Nov`, `24.11.`, `24/11`, `the 15th`, `2026-03-12`, `end of month`, each with an optional time
 * (`fri 14:00`, `9am tomorrow`, `tomorrow morning`, `at 9`), `in 2 hours`, and `none`. Otherwise undefined.
 */
export function parseWhen(
  typed: string,
  now: PlainDate = today(),
  clock: () => string = () => toWallTime(new Date().toISOString()),
): ParsedWhen | undefined {
  const text = normalizeTyped(typed)
  if (NONE.test(text)) return { date: null }
  const soon = parseHoursFromNow(text, now, clock)
  if (soon) return soon
  const split = splitTime(text)
  if (!split) return undefined
  const { rest, time } = split
  if (rest === '') return time === undefined ? undefined : { date: now, time }
  const date = parseDate(rest, now)
  if (date === undefined || !isPlainDate(date)) return undefined
  return { date, ...(time !== undefined && { time }) }
}

/** The typed words in lower-case English, with numbers and times written in one way. */
export const normalizeTyped = (typed: string): string =>
  translateTypedWords(typed.trim())
    .replace(/\s+/g, ' ')
    .replace(/\b([ap])\.m\.?/g, '$1m')
    .replace(/ ?o['’]clock/g, ' uhr')
    .replace(/(\d)\.([0-5]\d) ?(am|pm|uhr)\b/g, '$1:$2 $3')
    .replace(/\b(\d{1,2})\/(\d{1,2})(?:\/(?:20)?(\d\d))?\b/, orderSlashes)
    .replace(/^(\d{4}-\d\d-\d\d)t(?=\d)/, '$1 ')
    .replace(/^tonight\b/, 'today night')
    .replace(/^this (?=(morning|noon|afternoon|evening)\b)/, 'today ')
    .replace(/^(?:eod|end of day),? (?=.)/, '')
    .replace(/ (?:eod|end of day)$/, '')
    .replace(/[a-z]+/g, (word) => {
      const at = NUMBERS.indexOf(word)
      return at < 0 ? word : `${at + 1}`
    })
    .replace(/\bhalb ([1-9]|1[0-2])\b/g, (_, hour) => `${(Number(hour) + 11) % 12 || 12}:30`)

/** "24/12/2026" as "24.12.2026": the month is first where the viewer's locale writes it so, or if it must be. */
function orderSlashes(_: string, first: string, second: string, year?: string): string {
  const isMonthFirst = Number(second) > 12 || (Number(first) <= 12 && writesMonthFirst())
  const day = isMonthFirst ? `${second}.${first}` : `${first}.${second}`
  return year === undefined ? day : `${day}.20${year}`
}

const writesMonthFirst = () =>
  getDateFormatter({ day: 'numeric', month: 'numeric' }).formatToParts()[0]?.type === 'month'

/**
 * Splits a time at the end or the beginning from what is left; undefined if it does not exist (25:00).
 */
export function splitTime(text: string): { rest: string; time?: string } | undefined {
  for (const pattern of [TIME_BEHIND, TIME_BEFORE]) {
    const match = pattern.exec(text)
    const [, at, hour, minutes, meridiem, part] = match ?? []
    // A number alone is a day, a year or anything else.
    const isTime = part !== undefined || at !== undefined || (minutes ?? meridiem) !== undefined
    if (!match || !isTime) continue
    const before = text.replace(pattern, '')
    // "tomorrow evening at 8"
    const [, day = before, partBefore = ''] = PART_OF_DAY.exec(before) ?? []
    const isLater = /noon|evening|night/.test(partBefore) && Number(hour) < 12
    const time = part
      ? PARTS_OF_DAY[part]
      : toClock(Number(hour), minutes, isLater && meridiem !== 'am' ? 'pm' : meridiem)
    return time === undefined ? undefined : { rest: part ? before : day, time }
  }
  return { rest: text }
}

function toClock(typed: number, minutes = '00', meridiem = 'uhr'): string | undefined {
  const is24 = meridiem === 'uhr'
  const hour = is24 ? typed : (typed % 12) + (meridiem === 'pm' ? 12 : 0)
  if (hour > 23 || (!is24 && (typed > 12 || typed === 0))) return undefined
  return `${String(hour).padStart(2, '0')}:${minutes}`
}

const MINUTES_PER_DAY = 1_440

/** "in an hour", "in 30 minutes" */
function parseHoursFromNow(
  text: string,
  now: PlainDate,
  clock: () => string,
): ParsedWhen | undefined {
  const [, amount, unit = ''] =
    /^in (half an|an? half|an?|\d{1,3}(?:[.,]\d)?) ?(h|hours?|hrs?|min|mins|minutes?)$/.exec(
      text,
    ) ?? []
  if (amount === undefined) return undefined
  const count = amount.includes('half')
    ? 0.5
    : /^a/.test(amount)
      ? 1
      : Number(amount.replace(',', '.'))
  const [hour = 0, minute = 0] = clock().split(':').map(Number)
  const minutes = hour * 60 + minute + count * (unit.startsWith('h') ? 60 : 1)
  const inDay = Math.round(minutes % MINUTES_PER_DAY)
  return {
    date: addDaysToDate(now, Math.floor(minutes / MINUTES_PER_DAY)),
    time: [Math.floor(inDay / 60), inDay % 60].map((n) => String(n).padStart(2, '0')).join(':'),
  }
}

function parseDate(text: string, now: PlainDate): PlainDate | undefined {
  if (isPlainDate(text)) return text
  if (/^(today|tod|now)$/.test(text)) return now
  if (/^(tomorrow|tom|tmrw?)$/.test(text)) return addDaysToDate(now, 1)
  if (/^(the )?day after tomorrow$/.test(text)) return addDaysToDate(now, 2)
  if (text === 'yesterday') return addDaysToDate(now, -1)
  return (
    parsePeriod(text, now) ??
    parseWeekday(text, now) ??
    parseDistance(text, now) ??
    parseDayOfMonth(text, now)
  )
}

/** "next week" is its first day, "this week" and "end of week" the last on which one works. */
function parsePeriod(text: string, now: PlainDate): PlainDate | undefined {
  const [, which = '', weekend] = /^(this |next |the )?(weekend)$/.exec(text) ?? []
  const monday = startOfWeek(now, 1)
  if (weekend) return laterOf(addDaysToDate(monday, which === 'next ' ? 12 : 5), now)
  const short = /^eo([dwmy])$/.exec(text)?.[1]
  const [, first, end, next, unit = short] =
    /^(?:((?:(?:start|beginning) of )?(?:the )?(?:next|coming) )|(this |end of (?:the |this )?|end of (next )))(day|week|month|year)$/.exec(
      text,
    ) ?? []
  if (unit === undefined) return parseEndOfMonth(text, now)
  if (short === undefined && first === undefined && end === undefined) return undefined
  const by = first || next ? 1 : 0
  const isEnd = first === undefined
  if (unit.startsWith('d')) return isEnd && by === 0 ? now : undefined
  if (unit.startsWith('w')) return laterOf(addDaysToDate(monday, by * 7 + (isEnd ? 4 : 0)), now)
  const start = unit.startsWith('m') ? startOfMonth(now) : `${now.slice(0, 4)}-01-01`
  const months = unit.startsWith('m') ? 1 : 12
  const following = addMonthsToDate(start, months * (by + 1))
  return isEnd ? addDaysToDate(following, -1) : addMonthsToDate(start, months * by)
}

/** "end of december" */
function parseEndOfMonth(text: string, now: PlainDate): PlainDate | undefined {
  const month = /^end of ([a-z]{3,})$/.exec(text)?.[1]
  const first = month && parseDayOfMonth(`1 ${month}`, startOfMonth(now))
  return first ? addDaysToDate(addMonthsToDate(first, 1), -1) : undefined
}

const laterOf = (a: PlainDate, b: PlainDate): PlainDate => [a, b].toSorted().at(-1) ?? a

/** "fri" is the coming Friday, never today; "next fri" is the Friday of next week. */
function parseWeekday(text: string, now: PlainDate): PlainDate | undefined {
  const [, before, name = '', behind] =
    /^(?:((?:this|next|coming)(?: week(?: on)?)?) )?([a-z]{2,})\.?(?: (?:in )?(next week))?$/.exec(
      text,
    ) ?? []
  const at = findWeekday(name, 2)
  if (at === undefined) return undefined
  if (before?.startsWith('next') || behind) return addDaysToDate(startOfWeek(now, 1), 7 + at)
  return addDaysToDate(now, ((at + 1 - isoWeekday(now) + 6) % 7) + 1)
}

function parseDistance(text: string, now: PlainDate): PlainDate | undefined {
  const [, sign, amount, unit = ''] =
    /^(?:in )?([+-])?(?:(\d{1,4}) ?|an? )(d|days?|w|weeks?|m|months?|y|years?)(?: from now)?$/.exec(
      text,
    ) ?? []
  if (unit === '') return undefined
  const count = Number(amount ?? 1) * (sign === '-' ? -1 : 1)
  if (unit.startsWith('d')) return addDaysToDate(now, count)
  if (unit.startsWith('w')) return addDaysToDate(now, count * 7)
  return addMonthsToDate(now, unit.startsWith('m') ? count : count * 12)
}

/** "24 Nov", "Nov 24", "24.11.", "Tue 24 Nov", "the 24th"; without a year or month the next such day. */
function parseDayOfMonth(typed: string, now: PlainDate): PlainDate | undefined {
  const [, weekday = '', date] =
    /^([a-z]{2,})\.?,? ((?:the )?\d.*|[a-z]+\.? \d.*)$/.exec(typed) ?? []
  const text = findWeekday(weekday, 2) !== undefined && date ? date : typed
  const bare = /^(?:the )?(\d{1,2})(?:st|nd|rd|th|\.)$/.exec(text)?.[1]
  if (bare !== undefined) return findDayOfMonth(Number(bare), now)
  const words =
    /^(?:the )?(?<day>\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? ?(?<month>[a-z]{3,})\.?,?(?: (?<year>\d{4}))?$/.exec(
      text,
    ) ?? /^(?<month>[a-z]{3,})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?<year>\d{4}))?$/.exec(text)
  const digits = /^(?:the )?(?<day>\d{1,2})\. ?(?<month>\d{1,2})\.? ?(?<year>\d{4})?$/.exec(text)
  const { day, month = '', year } = (words ?? digits)?.groups ?? {}
  if (day === undefined) return undefined
  const number = /^\d/.test(month) ? Number(month) : (findByPrefix(MONTHS, month, 3) ?? -1) + 1
  const of = (y: string) => `${y}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
  if (year !== undefined) return of(year)
  const soon = of(now.slice(0, 4))
  return isPlainDate(soon) && soon >= now ? soon : of(String(Number(now.slice(0, 4)) + 1))
}

/** The next such day of a month, in the first month that has it. */
function findDayOfMonth(day: number, now: PlainDate): PlainDate | undefined {
  if (day < 1) return undefined
  const months = [0, 1, 2].map((by) => addMonthsToDate(startOfMonth(now), by).slice(0, 8))
  const dates = months.map((month) => `${month}${String(day).padStart(2, '0')}`)
  return dates.find((date) => isPlainDate(date) && date >= now)
}

/** The index of a weekday, 0 for Monday, whose name begins with the typed text. */
export const findWeekday = (typed: string, minLength: number): number | undefined =>
  findByPrefix(WEEKDAYS, typed, minLength)

/** The index of the name that begins with the typed text, if that has a minimum length. */
function findByPrefix(
  names: readonly string[],
  typed: string,
  minLength: number,
): number | undefined {
  const at = names.findIndex((name) => name.startsWith(typed))
  return at >= 0 && typed.length >= minLength ? at : undefined
}
