/** No longer characters are looked for: a letter may have any number of accents. */
const MAX_GRAPHEME_LENGTH = 100

/**
 * The last place up to `at` at which a text can be cut without breaking what people see as one character:
 * a family of emoji, a flag, a letter with its accents.
 */
export function findCut(text: string, at: number): number {
  if (at >= text.length) return text.length
  const from = Math.max(0, at - MAX_GRAPHEME_LENGTH)
  const around = text.slice(from, at + MAX_GRAPHEME_LENGTH)
  const cut = from + (new Intl.Segmenter().segment(around).containing(at - from)?.index ?? 0)
  if (cut > from || from === 0) return cut
  return /^[\udc00-\udfff]/.test(text.slice(at)) ? at - 1 : at
}

/** The beginning of a text, of at most so many UTF-16 units. */
export const cutText = (text: string, maxLength: number): string =>
  text.slice(0, findCut(text, maxLength))
