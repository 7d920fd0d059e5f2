/**
 * Replaces web/src/messages/define-messages.ts and define-rare-messages.ts in a test build: every text gets accents and 40 %
 * more length, on a right-to-left page. That reveals hard-coded texts, missing space, and styles
 * that name a side.
 */
if (typeof document !== 'undefined') document.documentElement.dir = 'rtl'

const pseudoMessages = <T>(_name: string, english: T): T => toPseudoLocale(english)

export { pseudoMessages as defineMessages, pseudoMessages as defineRareMessages }

/** Converts a text, or all texts of a dictionary, to the pseudo-locale. */
export function toPseudoLocale<T>(of: T): T
export function toPseudoLocale(of: unknown): unknown {
  if (typeof of === 'string') return lengthen(of)
  if (typeof of === 'function') return (...given: unknown[]) => toPseudoLocale(of(...given))
  if (Array.isArray(of)) return of.map((one) => toPseudoLocale(one))
  if (typeof of !== 'object' || of === null) return of
  return Object.fromEntries(Object.entries(of).map(([key, one]) => [key, toPseudoLocale(one)]))
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
const FILLER = 'möré wörds öf ít '

const lengthen = (text: string): string => {
  if (!/\p{L}{2}/u.test(text)) return text
  const length = Math.ceil(text.length * 0.4)
  const more = FILLER.repeat(Math.ceil(length / FILLER.length)).slice(0, length)
  return `${text.replace(/[aceinosuy]/g, (letter) => ACCENTS[letter] ?? letter)} ${more.trim()}`
}
