import {
  addDays,
  civilFromDays,
  dayFromNumber,
  dayNumber,
  daysFromCivil,
  daysInMonth,
  isDay,
  mondayOf,
  weekdayOf,
} from './days.ts'

/** How the language of a person writes dates. */
interface TypedLanguage {
  /** The English equivalents of its words, in lower case; none for English. One for `uhr` writes hours as `14h`, too. */
  words: Readonly<Record<string, string>>
  /** Whether `12/10` is in December. */
  isMonthFirst: boolean
}

/** What a typed date depends on. */
export interface DateContext {
  /** The day of the person, `YYYY-MM-DD`. */
  today: string
  /** The time of their day, `HH:MM`. */
  clock: () => string
  language: TypedLanguage
  /** Whether `friday`, `15 Dec` and `3 days` mean the next such day (the default), or the last, which today may be. */
  direction?: 'next' | 'last' | undefined
}

/** A date that somebody has typed; `date: null` stands for "none". */
interface TypedDate {
  date: string | null
  /** `HH:MM`, if a time was typed as well. */
  time?: string
  /** The length of a time that was typed as a range, such as `3pm-4pm`. */
  seconds?: number
  /** Whether only a time was typed, so that the day is the next one that has it. */
  isTimeAlone?: boolean
}

/** A repetition that somebody has typed: its rule (RFC 5545), and the first day of it from today on. */
interface TypedRepeat {
  rrule: string
  date: string
  /** `HH:MM`, if a time was typed as well. */
  time?: string
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const RRULE_WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
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
const RANGE = String.raw`(?:(?:at|from|von) )?(\d{1,2})(?::([0-5]\d))? ?(am|pm|uhr)? ?(?:[-–—]|to|until|bis) ?(\d{1,2})(?::([0-5]\d))? ?(am|pm|uhr)?`
const RANGES = [new RegExp(`(?:^|,? )${RANGE}$`), new RegExp(`^${RANGE},? (?:on |am )?(?=.)`)]

/** Translates typed words of dates and tasks to lower-case English: "nächsten Fr" → "next fri". */
export const translateTypedWords = (typed: string, { words }: TypedLanguage): string =>
  typed.toLowerCase().replace(/\p{L}+/gu, (word) => findWord(word, words) ?? word)

/** The English of a word, also of two that are written as one: "freitagabend". */
function findWord(word: string, words: TypedLanguage['words']): string | undefined {
  const lookUp = (one: string) => (Object.hasOwn(words, one) ? words[one] : undefined)
  const found = lookUp(word)
  if (found !== undefined || word.length < 9 || Object.keys(words).length === 0) return found
  for (let at = 4; at <= word.length - 4; at += 1) {
    const [day = '', part = ''] = [lookUp(word.slice(0, at)), lookUp(word.slice(at))]
    if (Object.hasOwn(PARTS_OF_DAY, part)) return `${day} ${part}`
  }
  return undefined
}

/**
 * Parses `today`, `tomorrow`, `fri`, `next fri`, `friday next week`, `next week`, `week 50`, `this weekend`, `+3d`,
 * `in 2 weeks`, `24 Nov`, `24.11.`, `24.11.26`, `24/11`, `the 15th`, `2026-03-12`, `2026/03/12`, `mid december`,
 * `end of month`, each with an optional time (`fri 14:00`, `9am tomorrow`, `tomorrow morning`, `at 9`,
 * `3pm-4pm`), `in 2 hours`, and `none`. Otherwise undefined: no part of a text is read without the rest.
 */
export function parseTypedDate(typed: string, context: DateContext): TypedDate | undefined {
  const text = normalizeTyped(typed, context.language)
  if (NONE.test(text)) return { date: null }
  const soon = parseHoursFromNow(text, context)
  if (soon) return soon
  const split = splitTime(text)
  if (!split) return undefined
  const { rest, ...time } = split
  if (rest === '') {
    if (time.time === undefined) return undefined
    // What has passed today is meant for tomorrow.
    const days = context.direction !== 'last' && time.time < context.clock() ? 1 : 0
    return { date: addDays(context.today, days), ...time, isTimeAlone: true }
  }
  const date = parseDay(rest, context)
  return date !== undefined && isDay(date) ? { date, ...time } : undefined
}

/** The typed words in lower-case English, with numbers and times written in one way. */
export function normalizeTyped(typed: string, language: TypedLanguage): string {
  const text = translateTypedWords(typed.trim(), language)
    .replace(/\s+/g, ' ')
    .replace(/\b([ap])\.m\.?/g, '$1m')
    .replace(/ ?o['’]clock/g, ' uhr')
    .replace(/(\d)\.([0-5]\d) ?(am|pm|uhr)\b/g, '$1:$2 $3')
    .replace(
      /^(\D*)(\d{4})\/(\d{1,2})\/(\d{1,2})\b/,
      (_, before, year, month, day) =>
        `${before}${toIsoDay(Number(year), Number(month), Number(day))}`,
    )
    .replace(/\b(\d{1,2})\/(\d{1,2})(?:\/(?:20)?(\d\d))?\b/, (_, first, second, year) =>
      orderSlashes(first, second, year, language.isMonthFirst),
    )
    .replace(/^(\d{4}-\d\d-\d\d)t(?=\d)/, '$1 ')
    .replace(/\bmid-/, 'mid ')
    .replace(/^tonight\b/, 'today night')
    .replace(/^this (?=(morning|noon|afternoon|evening)\b)/, 'today ')
    .replace(/^(?:eod|end of day),? (?=.)/, '')
    .replace(/ (?:eod|end of day)$/, '')
    .replace(/[a-z]+/g, (word) => {
      const at = NUMBERS.indexOf(word)
      return at < 0 ? word : `${at + 1}`
    })
    .replace(/\bhalb ([1-9]|1[0-2])\b/g, (_, hour) => `${(Number(hour) + 11) % 12 || 12}:30`)
  return 'uhr' in language.words ? readClockHours(text) : text
}

/** "um 14h", and beside a day also "14h" where so many hours of work are unlikely, as clocks. */
const readClockHours = (text: string): string =>
  text
    .replace(/\bat (\d{1,2})h([0-5]\d)?\b/, (_, hour, minutes = '00') => `at ${hour}:${minutes}`)
    .replace(
      /(?<=\S )(9|1\d|2[0-3])h([0-5]\d)?$|^(9|1\d|2[0-3])h([0-5]\d)?(?= )/,
      (_, hour, minutes, hourBefore, minutesBefore) =>
        `${hour ?? hourBefore}:${minutes ?? minutesBefore ?? '00'}`,
    )

/** "24/12/2026" as "24.12.2026": the month is first where people write it so, or if it must be. */
function orderSlashes(
  first: string,
  second: string,
  year: string | undefined,
  isMonthFirst: boolean,
): string {
  const swaps = Number(second) > 12 || (Number(first) <= 12 && isMonthFirst)
  const day = swaps ? `${second}.${first}` : `${first}.${second}`
  return year === undefined ? day : `${day}.20${year}`
}

interface SplitTime {
  rest: string
  time?: string
  seconds?: number
}

/** Splits a time at the end or the beginning from what is left; undefined if it does not exist (25:00). */
function splitTime(text: string): SplitTime | undefined {
  for (const pattern of RANGES) {
    const range = pattern.exec(text)
    if (!range) continue
    const [, from, fromMinutes, before, to, toMinutes, meridiem] = range
    // "1-2" may be anything, and "15-17" days.
    const isTime = before ?? meridiem ?? (fromMinutes !== undefined && toMinutes !== undefined)
    if (!isTime) continue
    const end = toClock(Number(to), toMinutes, meridiem)
    const starts = [before ?? meridiem, before ?? 'am'].map((one) =>
      toClock(Number(from), fromMinutes, one),
    )
    const start = starts.find((one) => one !== undefined && end !== undefined && one < end)
    if (start === undefined || end === undefined) return undefined
    const seconds = (toMinuteOfDay(end) - toMinuteOfDay(start)) * 60
    return { rest: text.replace(pattern, ''), time: start, seconds }
  }
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
  return `${padTwo(hour)}:${minutes}`
}

const padTwo = (n: number) => String(n).padStart(2, '0')
const toMinuteOfDay = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
const MINUTES_PER_DAY = 1_440

/** "in an hour", "in 30 minutes" */
function parseHoursFromNow(text: string, { today, clock }: DateContext): TypedDate | undefined {
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
  const minutes = toMinuteOfDay(clock()) + count * (unit.startsWith('h') ? 60 : 1)
  const inDay = Math.round(minutes % MINUTES_PER_DAY)
  return {
    date: addDays(today, Math.floor(minutes / MINUTES_PER_DAY)),
    time: `${padTwo(Math.floor(inDay / 60))}:${padTwo(inDay % 60)}`,
  }
}

function parseDay(text: string, context: DateContext): string | undefined {
  const { today } = context
  if (isDay(text)) return text
  if (/^(today|tod|now)$/.test(text)) return today
  if (/^(tomorrow|tom|tmrw?)$/.test(text)) return addDays(today, 1)
  if (/^(the )?day after tomorrow$/.test(text)) return addDays(today, 2)
  if (text === 'yesterday') return addDays(today, -1)
  if (/^(the )?day before yesterday$/.test(text)) return addDays(today, -2)
  return (
    parsePeriod(text, context) ??
    parseWeekday(text, context) ??
    parseDistance(text, context) ??
    parsePartOfMonth(text, context) ??
    parseDayOfMonth(text, context)
  )
}

/** "next week" is its first day, "this week" and "end of week" the last on which one works. */
function parsePeriod(text: string, context: DateContext): string | undefined {
  const { today, direction } = context
  const [, which = '', weekend] = /^(this |next |the )?(weekend)$/.exec(text) ?? []
  const monday = mondayOf(today)
  if (weekend) return laterOf(addDays(monday, which === 'next ' ? 12 : 5), today)
  if (direction === 'last' && text === 'last week') return addDays(monday, -7)
  if (/^(?:the )?(?:overnext week|week after next)$/.test(text)) return addDays(monday, 14)
  const week = parseCalendarWeek(text, context)
  if (week) return week
  const short = /^eo([dwmy])$/.exec(text)?.[1]
  const [, first, end, next, unit = short] =
    /^(?:((?:(?:start|beginning) of )?(?:the )?(?:next|coming) )|(this |end of (?:the |this )?|end of (next )))(day|week|month|year)$/.exec(
      text,
    ) ?? []
  if (unit === undefined) return undefined
  if (short === undefined && first === undefined && end === undefined) return undefined
  const by = first || next ? 1 : 0
  const isEnd = first === undefined
  if (unit.startsWith('d')) return isEnd && by === 0 ? today : undefined
  if (unit.startsWith('w')) return laterOf(addDays(monday, by * 7 + (isEnd ? 4 : 0)), today)
  const start = unit.startsWith('m') ? startOfMonth(today) : `${today.slice(0, 4)}-01-01`
  const months = unit.startsWith('m') ? 1 : 12
  const following = addMonths(start, months * (by + 1))
  return isEnd ? addDays(following, -1) : addMonths(start, months * by)
}

/** "KW 50", "week 50 2027": the Monday of a week of ISO 8601, today in the current one; "end of week 50" its Friday. */
function parseCalendarWeek(text: string, { today, direction }: DateContext): string | undefined {
  const [, end, digits, typedYear] =
    /^(?:in )?(end of )?(?:kw|cw|week) ?(\d{1,2})(?: (?:of )?(\d{4}))?$/.exec(text) ?? []
  const week = Number(digits)
  if (digits === undefined || week < 1 || week > 53) return undefined
  const mondayIn = (year: number) => addDays(mondayOf(`${year}-01-04`), (week - 1) * 7)
  const isInYear = (year: number) => addDays(mondayIn(year), 3).startsWith(`${year}`)
  const now = Number(today.slice(0, 4))
  const years = typedYear
    ? [Number(typedYear)]
    : direction === 'last'
      ? [now, now - 1]
      : [now, now + 1]
  const year = years.find(
    (one) =>
      isInYear(one) &&
      (typedYear !== undefined ||
        (direction === 'last' ? mondayIn(one) <= today : addDays(mondayIn(one), 6) >= today)),
  )
  if (year === undefined) return undefined
  const day = addDays(mondayIn(year), end ? 4 : 0)
  return direction === 'last' || typedYear ? day : laterOf(day, today)
}

/** "end of december", "mid december", "start of december" */
function parsePartOfMonth(text: string, context: DateContext): string | undefined {
  const [, part, month] =
    /^(?:in )?(end of|mid|middle of|start of|beginning of|early) ([a-z]{3,})(?: (?:of )?\d{4})?$/.exec(
      text,
    ) ?? []
  if (month === undefined) return undefined
  const year = / \d{4}$/.exec(text)?.[0] ?? ''
  const [today, day] = [startOfMonth(context.today), part?.startsWith('mid') ? 15 : 1]
  const found = parseDayOfMonth(`${day} ${month}${year}`, { ...context, today })
  if (!found || part !== 'end of') return found
  return addDays(addMonths(found, 1), -1)
}

const laterOf = (a: string, b: string): string => (a > b ? a : b)

/** "fri" is the coming Friday, never today; "next fri" is the Friday of next week. */
function parseWeekday(text: string, { today, direction }: DateContext): string | undefined {
  const [, before, name = '', behind] =
    /^(?:((?:this|next|coming|last|overnext)(?: week(?: on)?)?) )?([a-z]{2,})\.?(?: (?:in )?(next week|overnext week))?$/.exec(
      text,
    ) ?? []
  const at = findWeekday(name, 2)
  if (at === undefined) return undefined
  const since = (weekdayOf(dayNumber(today)) - at + 7) % 7
  if (before?.startsWith('last'))
    return direction === 'last' ? addDays(today, -(since || 7)) : undefined
  if (`${before}${behind}`.includes('overnext')) return addDays(mondayOf(today), 14 + at)
  if (before?.startsWith('next') || behind) return addDays(mondayOf(today), 7 + at)
  if (direction === 'last' && before === undefined) return addDays(today, -since)
  return addDays(today, 7 - since)
}

function parseDistance(text: string, { today, direction }: DateContext): string | undefined {
  const [, ahead, sign, amount, unit = '', way] =
    /^(in |vor )?([+-])?(?:(\d{1,4}) ?|an? )(d|days?|w|weeks?|m|months?|y|years?)(?: (from now|ago))?$/.exec(
      text,
    ) ?? []
  if (unit === '') return undefined
  const isBehind =
    sign === '-' ||
    way === 'ago' ||
    ahead === 'vor ' ||
    (direction === 'last' && (ahead ?? sign ?? way) === undefined)
  const count = Number(amount ?? 1) * (isBehind ? -1 : 1)
  if (unit.startsWith('d')) return addDays(today, count)
  if (unit.startsWith('w')) return addDays(today, count * 7)
  return addMonths(today, unit.startsWith('m') ? count : count * 12)
}

/** "24 Nov", "Nov 24", "24.11.", "Tue 24 Nov", "the 24th"; without a year or month the next such day. */
function parseDayOfMonth(typed: string, context: DateContext): string | undefined {
  const { today } = context
  const [, weekday = '', date] =
    /^([a-z]{2,})\.?,? ((?:the )?\d.*|[a-z]+\.? (?:the )?\d.*)$/.exec(typed) ?? []
  const text = findWeekday(weekday, 2) !== undefined && date ? date : typed
  const bare = /^(?:the )?(\d{1,2})(?:st|nd|rd|th|\.)$/.exec(text)?.[1]
  if (bare !== undefined) return findDayOfMonth(Number(bare), context)
  const match =
    /^(?:the )?(?<day>\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? ?(?<month>[a-z]{3,})\.?,?(?: ['’]?(?<year>\d{4}|\d\d))?$/.exec(
      text,
    ) ??
    /^(?<month>[a-z]{3,})\.? (?:the )?(?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?,?$/.exec(
      text,
    ) ??
    /^(?:the )?(?<day>\d{1,2})\. ?(?<month>\d{1,2})(?:\.(?: ?(?<year>\d{4}|\d\d))?| (?<fullYear>\d{4}))?$/.exec(
      text,
    )
  const { day, month = '', fullYear, year = fullYear } = match?.groups ?? {}
  if (day === undefined) return undefined
  const number = /^\d/.test(month) ? Number(month) : (findByPrefix(MONTHS, month, 3) ?? -1) + 1
  const of = (y: number) => toIsoDay(y, number, Number(day))
  if (year !== undefined) return of(Number(year.length === 2 ? `20${year}` : year))
  const now = Number(today.slice(0, 4))
  // Of 29 February the next or last one, as far as eight years away.
  const years = Array.from(
    { length: 9 },
    (_, by) => now + (context.direction === 'last' ? -by : by),
  )
  return years.map(of).find((one) => isDay(one) && isInDirection(one, context))
}

const toIsoDay = (year: number, month: number, day: number) =>
  `${year}-${padTwo(month)}-${padTwo(day)}`

const isInDirection = (day: string, { today, direction }: DateContext): boolean =>
  direction === 'last' ? day <= today : day >= today

/** The next such day of a month, in the first month that has it; or the last one. */
function findDayOfMonth(day: number, context: DateContext): string | undefined {
  if (day < 1) return undefined
  const start = startOfMonth(context.today)
  const months = [0, 1, 2].map((by) => addMonths(start, context.direction === 'last' ? -by : by))
  return months
    .map((month) => `${month.slice(0, 8)}${padTwo(day)}`)
    .find((date) => isDay(date) && isInDirection(date, context))
}

const startOfMonth = (day: string): string => `${day.slice(0, 8)}01`

/** Adds months to a day; the 31st becomes the last day of a shorter month. */
function addMonths(day: string, months: number): string {
  const { year, month, date } = civilFromDays(dayNumber(day))
  const first = daysFromCivil(year, month + months, 1)
  const found = civilFromDays(first)
  return dayFromNumber(first + Math.min(date, daysInMonth(found.year, found.month)) - 1)
}

/** The index of a weekday, 0 for Monday, whose name begins with the typed text. */
export const findWeekday = (typed: string, minLength: number): number | undefined =>
  findByPrefix(WEEKDAYS, typed, minLength)

/** The index of a month, 0 for January, whose name begins with at least three typed letters. */
export const findMonth = (typed: string): number | undefined => findByPrefix(MONTHS, typed, 3)

/** The index of the name that begins with the typed text, if that has a minimum length. */
function findByPrefix(
  names: readonly string[],
  typed: string,
  minLength: number,
): number | undefined {
  const at = names.findIndex((name) => name.startsWith(typed))
  return at >= 0 && typed.length >= minLength ? at : undefined
}

const FREQUENCIES: Readonly<Record<string, string>> = {
  day: 'DAILY',
  week: 'WEEKLY',
  month: 'MONTHLY',
  year: 'YEARLY',
}
const ADVERBS: Readonly<Record<string, string>> = {
  daily: 'day',
  weekly: 'week',
  biweekly: '2 week',
  monthly: 'month',
  quarterly: '3 month',
  yearly: 'year',
  annually: 'year',
}
const MAX_INTERVAL = 99
/** "mondays", "on tuesdays and thursdays" */
const WEEKDAYS_OF_EACH_WEEK = /^(?:on )?((?:(?:[a-z]+days)(?:,? and |, ?|$))+)$/
/** "on the 1st of every month", "first monday of each month" */
const OF_EACH_MONTH = /^(?:on |am )?(?:the )?(.+?) (?:of |in )?(?:every|each) month$/
const ORDINALS: Readonly<Record<string, number>> = {
  first: 1,
  '1st': 1,
  '1.': 1,
  second: 2,
  '2nd': 2,
  '2.': 2,
  third: 3,
  '3rd': 3,
  '3.': 3,
  fourth: 4,
  '4th': 4,
  '4.': 4,
  last: -1,
}

/**
 * Parses `every day`, `every monday`, `every mon and thu`, `every 2 weeks`, `every other friday`,
 * `every 2 weeks on monday`, `every weekday`, `mondays`, `every 15th`, `every month on the 15th`, `every first monday`,
 * `on the 1st of every month`, `every year on 24 Dec` and `daily`, each with an optional time, a first day
 * (`starting monday`) and a last one (`until 31 Dec`). Otherwise undefined.
 */
export function parseTypedRepeat(typed: string, context: DateContext): TypedRepeat | undefined {
  const [, untimed = '', untilText] =
    /^(.+?)(?: (?:until|till|bis(?: zum)?) (.+))?$/.exec(
      normalizeTyped(typed, context.language)
        .replace(/^(every|each) (?=(morning|noon|afternoon|evening|night)$)/, 'daily ')
        .replace(/^every tomorrow$/, 'daily morning'),
    ) ?? []
  const split = splitTime(untimed)
  const [, body = '', startText] =
    /^(.+?)(?:,? (?:starting|beginning|from)(?: (?:on|from|at))? (.+))?$/.exec(split?.rest ?? '') ??
    []
  const { rest, time = split?.time } = splitTime(body) ?? {}
  const readDay = (text: string | undefined) =>
    text === undefined ? undefined : parseDay(text, context)
  const [start, until] = [readDay(startText), readDay(untilText)]
  if ((startText && !start) || (untilText && !until)) return undefined
  const text = rest
    ?.replace(/^[a-z]+/, (word) => (ADVERBS[word] ? `every ${ADVERBS[word]}` : word))
    .replace(OF_EACH_MONTH, 'every $1 of the month')
    .replace(WEEKDAYS_OF_EACH_WEEK, 'every $1')
  const [, what] = /^(?:every|each) (.+)$/.exec(text ?? '') ?? []
  if (what === undefined) return undefined
  const first = start ?? context.today
  const repeat =
    parseInterval(what, first) ??
    parseMonthDay(what, first) ??
    parseNthWeekday(what, first) ??
    parseYearDay(what, { ...context, today: first }) ??
    parseWeekdays(what, first)
  if (!repeat || (until && until < repeat.date)) return undefined
  const end = until ? `;UNTIL=${until.replaceAll('-', '')}` : ''
  return { rrule: `${repeat.rrule}${end}`, date: repeat.date, ...(time !== undefined && { time }) }
}

/** "day", "2 weeks", "other month", "2 weeks on monday". */
function parseInterval(text: string, from: string): TypedRepeat | undefined {
  const [, amount = '1', named = '', days] =
    /^(?:(\d{1,2}(?:nd|rd|th|\.)?|other|second) )?(day|week|month|quarter|year)s?(?: (?:on |am )?([a-z].*))?$/.exec(
      text,
    ) ?? []
  const unit = named === 'quarter' ? 'month' : named
  const freq = FREQUENCIES[unit]
  const count = /^\d/.test(amount) ? Number.parseInt(amount, 10) : 2
  const interval = count * (named === 'quarter' ? 3 : 1)
  if (freq === undefined || interval < 1 || interval > MAX_INTERVAL) return undefined
  const every = interval > 1 ? `;INTERVAL=${interval}` : ''
  if (days === undefined) return { rrule: `FREQ=${freq}${every}`, date: from }
  if (unit === 'week') return parseWeekdays(days, from, every)
  return (
    parseMonthDay(text, from) ?? parseNthWeekday(`${days.replace(/^the /, '')} of the month`, from)
  )
}

/** "15th", "15.", "15th of the month", "month on the 15th", "last day of the month". */
function parseMonthDay(text: string, from: string): TypedRepeat | undefined {
  if (/^last day(?: (?:of|in|im) (?:the |a )?month)?$/.test(text)) {
    const date = addDays(addMonths(startOfMonth(from), 1), -1)
    return { rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1', date }
  }
  const [, digits, first] =
    /^(?:month (?:on |am )?(?:the )?)?(?:(\d{1,2})(?:st|nd|rd|th|\.)|(first)(?= (?:of|in|im)))(?: (?:(?:of|in|im) )?(?:the |a )?month)?$/.exec(
      text,
    ) ?? []
  const day = first ? 1 : Number(digits)
  // Months without that day would be left out.
  if ((digits ?? first) === undefined || day < 1 || day > 28) return undefined
  const inMonth = addDays(startOfMonth(from), day - 1)
  const date = inMonth >= from ? inMonth : addMonths(inMonth, 1)
  return { rrule: `FREQ=MONTHLY;BYMONTHDAY=${day}`, date }
}

/** "first monday", "last friday of the month"; "second monday" alone is every other one. */
function parseNthWeekday(text: string, from: string): TypedRepeat | undefined {
  const [, ordinal = '', name = '', ofMonth] =
    /^([a-z0-9.]+) ([a-z]+)( (?:of|in|im) (?:the |a )?month)?$/.exec(text) ?? []
  const [nth, weekday] = [ORDINALS[ordinal], findWeekday(name, 3)]
  if (nth === undefined || weekday === undefined || (nth === 2 && !ofMonth)) return undefined
  const dates = [0, 1].map((by) => {
    const month = addMonths(startOfMonth(from), by)
    const edge = nth > 0 ? month : addDays(addMonths(month, 1), -7)
    const ahead = (weekday - weekdayOf(dayNumber(edge)) + 7) % 7
    return addDays(edge, ahead + 7 * Math.max(nth - 1, 0))
  })
  const date = dates.find((one) => one >= from)
  return date ? { rrule: `FREQ=MONTHLY;BYDAY=${nth}${RRULE_WEEKDAYS[weekday]}`, date } : undefined
}

/** "year on 24 dec", "24 december" */
function parseYearDay(text: string, context: DateContext): TypedRepeat | undefined {
  const day = text.replace(/^year (?:on |am )?/, '')
  const hasMonth = day.split(' ').some((word) => findMonth(word.replace(/\.$/, '')) !== undefined)
  const date = hasMonth ? parseDayOfMonth(day, context) : undefined
  return date ? { rrule: 'FREQ=YEARLY', date } : undefined
}

/** "monday", "mon, wed and fri", "weekday", "other monday". */
function parseWeekdays(text: string, from: string, every = ''): TypedRepeat | undefined {
  const [, other, rest = text] = /^(other |second |2nd |2\. )?(.+)$/.exec(text) ?? []
  const interval = other === undefined ? every : ';INTERVAL=2'
  const isWorkday = /^(weekday|workday)s?$/.test(rest)
  const names = rest.split(/,? and | ?[&+] ?|, ?/)
  const found = isWorkday
    ? [0, 1, 2, 3, 4]
    : names.map((name) => findWeekday(name, 3) ?? findWeekday(name.replace(/s$/, ''), 3))
  const days = found.filter((at) => at !== undefined).toSorted((a, b) => a - b)
  if (days.length < found.length) return undefined
  const distance = Math.min(...days.map((at) => (at - weekdayOf(dayNumber(from)) + 7) % 7))
  const byDay = [...new Set(days)].map((at) => RRULE_WEEKDAYS[at]).join(',')
  return { rrule: `FREQ=WEEKLY${interval};BYDAY=${byDay}`, date: addDays(from, distance) }
}
