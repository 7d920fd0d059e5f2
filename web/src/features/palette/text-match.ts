/** How a text matches the typed words: the ranges to highlight, and a score (higher is better). */
export interface TextMatch {
  score: number
  ranges: readonly (readonly [from: number, to: number])[]
}

/**
 * Matches a text with the typed words; undefined if it lacks one of them. A match at the beginning
 * of a word scores higher than one within a word, and one at the beginning of the text highest.
 */
export function matchText(text: string, words: readonly string[]): TextMatch | undefined {
  const folded = foldSameLength(text)
  const ranges: [number, number][] = []
  let score = 0
  for (const word of words) {
    const at = findWord(folded, word)
    if (at < 0) return undefined
    ranges.push([at, at + word.length])
    score += scoreAt(folded, at)
  }
  return { score: score / Math.max(1, words.length), ranges: mergeRanges(ranges) }
}

function scoreAt(folded: string, at: number): number {
  if (at === 0) return 3
  return isWordStart(folded, at) ? 2 : 1
}

/** Splits the typed text into words to search for. */
export const toSearchWords = (typed: string): string[] =>
  foldSameLength(typed).split(/\s+/).filter(Boolean)

/**
 * Without case and accents, as the server searches. Letters whose length would change stay as they are:
 * positions in the result must be positions in the text.
 */
const foldSameLength = (text: string): string =>
  text.replace(/[A-Z]|\P{ASCII}\p{M}*/gu, (letter) => {
    const folded = letter
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
    return folded.length === letter.length ? folded : letter
  })

function findWord(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isWordStart(text, at)) return at
  }
  return text.indexOf(word)
}

const isWordStart = (text: string, at: number): boolean =>
  at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')

function mergeRanges(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = result.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else result.push([from, to])
  }
  return result
}

/** Splits the text at the ranges. Every second piece is one to highlight. */
export function splitByMatch(text: string, { ranges }: TextMatch): string[] {
  const pieces: string[] = []
  let end = 0
  for (const [from, to] of ranges) {
    pieces.push(text.slice(end, from), text.slice(from, to))
    end = to
  }
  return [...pieces, text.slice(end)]
}
