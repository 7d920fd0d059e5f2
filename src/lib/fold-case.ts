/** Folds text for comparison: NFC, then lower case independent of language. */
export function foldCase(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase()
  return limitMarkRuns(text).normalize('NFC').toLowerCase()
}

/** Removes case and accents from a text for comparison. */
export const foldAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** The number of Unicode code points in a text; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let at = 1; at < text.length; at += 1) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) length -= 1
  }
  return length
}

export const NOT_ASCII = /\P{ASCII}/u

/**
 * Normalizing sorts the combining marks of a letter in quadratic time: 65,536 of them took two
 * seconds. No language stacks thirty, so a joiner is inserted there (Stream-Safe Text Format, UAX
 * #15).
 */
export const limitMarkRuns = (text: string): string => text.replace(LONG_MARK_RUNS, '$&\u034f')

const LONG_MARK_RUNS = /\p{M}{30}(?=\p{M})/gu

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
