import { addDays, isDay, type PlainDate, weekdayOf } from '../../lib/day.ts'
import { parseDuration } from '../../lib/duration.ts'
import { inEnglish } from '../../lib/typed-words.ts'

export interface TypedTime {
  seconds: number
  day: PlainDate
  /** What follows the day, if anything does. */
  note: string | null
}

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/**
 * Time as it is typed: how long, on which day (today unless said), and what for: "1h 30m yesterday call with Mei".
 * A weekday is the last one before today. Undefined where it does not begin with a length of time.
 */
export function parseTime(typed: string, today: PlainDate): TypedTime | undefined {
  const words = typed.trim().split(/\s+/)
  // As many words as make a length of time: "1 h 30 m" is one.
  let used = words.length
  while (used > 0 && parseDuration(words.slice(0, used).join(' ')) === undefined) used -= 1
  const seconds = parseDuration(words.slice(0, used).join(' '))
  if (used === 0 || seconds === undefined || seconds === 0) return
  const rest = words.slice(used)
  const day = dayFrom(rest[0] ?? '', today)
  const note = rest.slice(day === undefined ? 0 : 1).join(' ')
  return { seconds, day: day ?? today, note: note === '' ? null : note }
}

function dayFrom(word: string, today: PlainDate): PlainDate | undefined {
  const text = inEnglish(word).replace(/[,;:]$/, '')
  if (text === 'today') return today
  if (text === 'yesterday') return addDays(today, -1)
  if (isDay(text)) return text
  const ago = /^-(\d{1,3})d$/.exec(text)
  if (ago) return addDays(today, -Number(ago[1]))
  const short = WEEKDAYS.indexOf(text)
  const weekday = (short >= 0 ? short : NAMES.indexOf(text)) + 1
  if (weekday === 0) return
  const back = (weekdayOf(today) - weekday + 7) % 7
  return addDays(today, -(back === 0 ? 7 : back))
}
