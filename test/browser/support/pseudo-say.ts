/**
 * Stands in for web/src/messages/say.ts in a build for tests: every text with accents and 40 % longer, on a page from
 * right to left. So a text that is not among the messages, one that has no room, and a side that is called left are seen.
 */
if (typeof document !== 'undefined') document.documentElement.dir = 'rtl'

export const say = <T>(_name: string, english: T): T => pseudo(english)

/** A text, or all texts of a record, in the language that nobody speaks. */
export function pseudo<T>(of: T): T
export function pseudo(of: unknown): unknown {
  if (typeof of === 'string') return longer(of)
  if (typeof of === 'function') return (...given: unknown[]) => pseudo(of(...given))
  if (Array.isArray(of)) return of.map((one) => pseudo(one))
  if (typeof of !== 'object' || of === null) return of
  return Object.fromEntries(Object.entries(of).map(([key, one]) => [key, pseudo(one)]))
}

const ACCENTS: Readonly<Record<string, string>> = {
  a: 'á',
  c: 'ç',
  e: 'ë',
  i: 'ï',
  n: 'ñ',
  o: 'ö',
  s: 'š',
  u: 'ü',
  y: 'ý',
}
const MORE = 'möré wörds öf ít '

const longer = (text: string): string => {
  if (!/\p{L}{2}/u.test(text)) return text
  const length = Math.ceil(text.length * 0.4)
  const more = MORE.repeat(Math.ceil(length / MORE.length)).slice(0, length)
  return `${text.replace(/[aceinosuy]/g, (letter) => ACCENTS[letter] ?? letter)} ${more.trim()}`
}
