/** How a text matches the typed words: the ranges to highlight, and a score (higher is better). */
export interface TextMatch {
  /** How many letters were typed wrong, in too few or too many, or in the wrong order. */
  errors: number
  score: number
  ranges: readonly (readonly [from: number, to: number])[]
}

/**
 * Matches a text with the typed words; undefined if it lacks one of them. A match at the beginning
 * of a word scores higher than one within a word, and one at the beginning of the text highest. With
 * `isForgiving`, a word that the text lacks may also begin one of its words but for typing errors,
 * as long as they are not more than one in `LETTERS_PER_ERROR` letters of all words together.
 */
export function matchText(
  text: string,
  words: readonly string[],
  isForgiving = false,
): TextMatch | undefined {
  const folded = foldSameLength(text)
  const ranges: [number, number][] = []
  let [letters, errors, score] = [0, 0, 0]
  for (const word of words) {
    const at = findWord(folded, word)
    const found =
      at >= 0
        ? { at, length: word.length, errors: 0 }
        : isForgiving && findMistypedWord(folded, word)
    if (!found) return undefined
    ranges.push([found.at, found.at + found.length])
    letters += Math.max(word.length, found.length)
    errors += found.errors
    score += scoreAt(folded, found.at)
  }
  if (errors * LETTERS_PER_ERROR > letters) return undefined
  return { errors, score: score / Math.max(1, words.length), ranges: mergeRanges(ranges) }
}

/** The word of a text that begins with the typed one but for the fewest errors. */
function findMistypedWord(text: string, typed: string) {
  let best: { at: number; length: number; errors: number } | undefined
  for (const { 0: word, index: at } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const found = compareBeginning(word, typed)
    if (found && (!best || found.errors < best.errors)) best = { at, ...found }
  }
  return best
}

/** Of so many letters one may be wrong, missing, one too many, or swapped with the next. */
const LETTERS_PER_ERROR = 5

/**
 * Compares a typed word with all beginnings of a word by their optimal string alignment distance, and
 * returns the best; undefined if each has more errors than may be forgiven.
 */
function compareBeginning(
  word: string,
  typed: string,
): { length: number; errors: number } | undefined {
  // One that was missed is among the letters of the beginning, of which there are then more.
  const mostErrors = Math.floor(typed.length / (LETTERS_PER_ERROR - 1))
  const width = Math.min(word.length, typed.length + mostErrors)
  if (mostErrors === 0 || width < typed.length - mostErrors) return undefined
  // Of one letter more than errors, one is right. That rules out most words at once.
  const start = word.slice(0, 2 * mostErrors + 1)
  if (![...typed.slice(0, mostErrors + 1)].some((letter) => start.includes(letter)))
    return undefined
  // Row r, column c: the distance of the first r typed letters from the first c letters of the word.
  let [before, above]: [number[], number[]] = [[], Array.from({ length: width + 1 }, (_, c) => c)]
  for (let r = 1; r <= typed.length; r++) {
    const row = [r]
    let least = r
    for (let c = 1; c <= width; c++) {
      const isSame = typed[r - 1] === word[c - 1]
      const isSwap = r > 1 && typed[r - 1] === word[c - 2] && typed[r - 2] === word[c - 1]
      const distance = Math.min(
        (above[c] ?? 0) + 1,
        (row[c - 1] ?? 0) + 1,
        (above[c - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap && c > 1 ? (before[c - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
      row.push(distance)
      least = Math.min(least, distance)
    }
    if (least > mostErrors) return undefined
    ;[before, above] = [above, row]
  }
  let best: { length: number; errors: number } | undefined
  for (const [length, errors] of above.entries())
    if (errors <= mostErrors && (!best || errors <= best.errors)) best = { length, errors }
  return best
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
