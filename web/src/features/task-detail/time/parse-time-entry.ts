import { parseDuration } from '../../../lib/dates/duration.ts'
import {
  addDaysToDate,
  isoWeekday,
  isPlainDate,
  type PlainDate,
} from '../../../lib/dates/plain-date.ts'
import { translateTypedWords } from '../../../lib/dates/translate-typed-words.ts'

export interface ParsedTimeEntry {
  seconds: number
  day: PlainDate
  /** The text after the day, or null. */
  note: string | null
}

const WEEKDAY_ABBREVIATIONS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const WEEKDAY_NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/**
 * Parses a typed time entry: duration, day (default today) and note: "1h 30m yesterday call with
 * Mei". A weekday is the last one before today. Returns undefined without a duration at the start.
 */
export function parseTimeEntry(typed: string, today: PlainDate): ParsedTimeEntry | undefined {
  const words = typed.trim().split(/\s+/)
  // The duration is the longest prefix that parses: "1 h 30 m" is one.
  let durationWords = words.length
  while (durationWords > 0 && parseDuration(words.slice(0, durationWords).join(' ')) === undefined)
    durationWords -= 1
  const seconds = parseDuration(words.slice(0, durationWords).join(' '))
  if (durationWords === 0 || seconds === undefined || seconds === 0) return
  const remaining = words.slice(durationWords)
  const day = parseDay(remaining[0] ?? '', today)
  const note = remaining.slice(day === undefined ? 0 : 1).join(' ')
  return { seconds, day: day ?? today, note: note === '' ? null : note }
}

function parseDay(word: string, today: PlainDate): PlainDate | undefined {
  const text = translateTypedWords(word).replace(/[,;:]$/, '')
  if (text === 'today') return today
  if (text === 'yesterday') return addDaysToDate(today, -1)
  if (isPlainDate(text)) return text
  const daysAgo = /^-(\d{1,3})d$/.exec(text)
  if (daysAgo) return addDaysToDate(today, -Number(daysAgo[1]))
  const abbreviation = WEEKDAY_ABBREVIATIONS.indexOf(text)
  const weekday = (abbreviation >= 0 ? abbreviation : WEEKDAY_NAMES.indexOf(text)) + 1
  if (weekday === 0) return
  const difference = (isoWeekday(today) - weekday + 7) % 7
  return addDaysToDate(today, -(difference === 0 ? 7 : difference))
}
