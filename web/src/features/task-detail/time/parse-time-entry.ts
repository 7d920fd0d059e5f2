import { parseTypedDate, translateTypedWords } from '#lib/typed-dates.ts'
import { parseDuration } from '#lib/typed-duration.ts'
import { getDateContext } from '../../../lib/dates/date-context.ts'
import type { PlainDate } from '../../../lib/dates/plain-date.ts'

export interface ParsedTimeEntry {
  seconds: number
  day: PlainDate
  /** The text after the day, or null. */
  note: string | null
}

/** "on the 24th of november" */
const MAX_DAY_WORDS = 5

/**
 * Parses a typed time entry: duration, day (default today) and note: "1h 30m yesterday call with
 * Mei". A day without a year is the last one, which today may be. Returns undefined without a duration at the start.
 */
export function parseTimeEntry(typed: string, today: PlainDate): ParsedTimeEntry | undefined {
  const words = typed.trim().split(/\s+/)
  const { language } = getDateContext(today)
  // The duration is the longest prefix that parses: "1 h 30 m" is one.
  const [seconds, durationWords] = readLongest(words, words.length, (text) =>
    parseDuration(translateTypedWords(text, language).replace(/(?<=\p{L})\./gu, '')),
  )
  if (!seconds) return
  const remaining = words.slice(durationWords)
  const [day, dayWords] = readLongest(remaining, MAX_DAY_WORDS, (text) => parseDay(text, today))
  const note = remaining.slice(dayWords).join(' ')
  return { seconds, day: day ?? today, note: note === '' ? null : note }
}

/** What the longest beginning of some words means, and how many words it takes. */
function readLongest<T>(
  words: readonly string[],
  most: number,
  read: (text: string) => T | undefined,
): [value: T | undefined, length: number] {
  for (let length = Math.min(most, words.length); length > 0; length -= 1) {
    const value = read(words.slice(0, length).join(' '))
    if (value !== undefined) return [value, length]
  }
  return [undefined, 0]
}

function parseDay(typed: string, today: PlainDate): PlainDate | undefined {
  const text = typed.replace(/[,;:]$/, '').replace(/^(on|am) (?=.)/i, '')
  const { date, time } = parseTypedDate(text, { ...getDateContext(today), direction: 'last' }) ?? {}
  return time === undefined ? (date ?? undefined) : undefined
}
