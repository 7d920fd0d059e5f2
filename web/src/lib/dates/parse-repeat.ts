import { findWeekday, normalizeTyped, splitTime } from './parse-when.ts'
import {
  addDaysToDate,
  addMonthsToDate,
  isoWeekday,
  type PlainDate,
  startOfMonth,
  today,
} from './plain-date.ts'
import { RRULE_WEEKDAYS } from './recurrence-rule.ts'

/** A repetition that somebody has typed: its rule, and the first day of it from today on. */
export interface ParsedRepeat {
  rrule: string
  date: PlainDate
  /** `HH:MM`, if a time was typed as well. */
  time?: string
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

/**
 * Parses `every day`, `every monday`, `every mon and thu`, `every 2 weeks`, `every other friday`,
 * `every 2 weeks on monday`, `every weekday`, `mondays`, `every 15th`, `every month on the 15th` and `daily`, each with
 * an optional time, also in the language of the page. Otherwise undefined.
 */
export function parseRepeat(typed: string, now: PlainDate = today()): ParsedRepeat | undefined {
  const { rest, time } =
    splitTime(
      normalizeTyped(typed)
        .replace(/^(every|each) (?=(morning|noon|afternoon|evening|night)$)/, 'daily ')
        .replace(/^every tomorrow$/, 'daily morning'),
    ) ?? {}
  const text = rest
    ?.replace(/^[a-z]+/, (word) => (ADVERBS[word] ? `every ${ADVERBS[word]}` : word))
    .replace(WEEKDAYS_OF_EACH_WEEK, 'every $1')
  const [, what] = /^(?:every|each) (.+)$/.exec(text ?? '') ?? []
  if (what === undefined) return undefined
  const repeat = parseInterval(what, now) ?? parseMonthDay(what, now) ?? parseWeekdays(what, now)
  return repeat && { ...repeat, ...(time !== undefined && { time }) }
}

/** "day", "2 weeks", "other month", "2 weeks on monday". */
function parseInterval(text: string, now: PlainDate): ParsedRepeat | undefined {
  const [, amount = '1', named = '', weekdays] =
    /^(?:(\d{1,2}(?:nd|rd|th|\.)?|other|second) )?(day|week|month|quarter|year)s?(?: (?:on |am )?([a-z].*))?$/.exec(
      text,
    ) ?? []
  const unit = named === 'quarter' ? 'month' : named
  const freq = FREQUENCIES[unit]
  const count = /^\d/.test(amount) ? Number.parseInt(amount, 10) : 2
  const interval = count * (named === 'quarter' ? 3 : 1)
  if (freq === undefined || interval < 1 || interval > MAX_INTERVAL) return undefined
  const every = interval > 1 ? `;INTERVAL=${interval}` : ''
  if (weekdays === undefined) return { rrule: `FREQ=${freq}${every}`, date: now }
  return unit === 'week' ? parseWeekdays(weekdays, now, every) : parseMonthDay(text, now)
}

/** "15th", "15.", "15th of the month", "month on the 15th". */
function parseMonthDay(text: string, now: PlainDate): ParsedRepeat | undefined {
  const [, digits] =
    /^(?:month (?:on |am )?(?:the )?)?(\d{1,2})(?:st|nd|rd|th|\.)(?: (?:of )?(?:the |a )?month)?$/.exec(
      text,
    ) ?? []
  const day = Number(digits)
  // Months without that day would be left out.
  if (digits === undefined || day < 1 || day > 28) return undefined
  const inMonth = addDaysToDate(startOfMonth(now), day - 1)
  const date = inMonth >= now ? inMonth : addMonthsToDate(inMonth, 1)
  return { rrule: `FREQ=MONTHLY;BYMONTHDAY=${day}`, date }
}

/** "monday", "mon, wed and fri", "weekday", "other monday". */
function parseWeekdays(text: string, now: PlainDate, every = ''): ParsedRepeat | undefined {
  const [, other, rest = text] = /^(other |second |2nd |2\. )?(.+)$/.exec(text) ?? []
  const interval = other === undefined ? every : ';INTERVAL=2'
  const isWorkday = /^(weekday|workday)s?$/.test(rest)
  const names = rest.split(/,? and | ?[&+] ?|, ?/)
  const found = isWorkday
    ? [0, 1, 2, 3, 4]
    : names.map((name) => findWeekday(name, 3) ?? findWeekday(name.replace(/s$/, ''), 3))
  const days = found.filter((at) => at !== undefined).toSorted((a, b) => a - b)
  if (days.length < found.length) return undefined
  const distance = Math.min(...days.map((at) => (at + 1 - isoWeekday(now) + 7) % 7))
  const byDay = [...new Set(days)].map((at) => RRULE_WEEKDAYS[at]).join(',')
  return { rrule: `FREQ=WEEKLY${interval};BYDAY=${byDay}`, date: addDaysToDate(now, distance) }
}
