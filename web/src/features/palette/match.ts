/** Where a text fits what was typed: ranges to be marked, and how well (more is better). */
export interface Match {
  score: number
  ranges: readonly (readonly [from: number, to: number])[]
}

/**
 * Every word typed must begin a word of the text, or at least stand in it; undefined if one does not. What
 * stands at the beginnings of words counts more, and the whole text's beginning most.
 */
export function matchOf(text: string, words: readonly string[]): Match | undefined {
  const folded = fold(text)
  const ranges: [number, number][] = []
  let score = 0
  for (const word of words) {
    const at = startOf(folded, word)
    if (at < 0) return undefined
    ranges.push([at, at + word.length])
    score += worthOf(folded, at)
  }
  return { score: score / Math.max(1, words.length), ranges: merged(ranges) }
}

/** The beginning of all counts most, then that of a word. */
function worthOf(folded: string, at: number): number {
  if (at === 0) return 3
  return isStart(folded, at) ? 2 : 1
}

/** What was typed, as words to be looked for. */
export const wordsOf = (typed: string): string[] => fold(typed).split(/\s+/).filter(Boolean)

/** Lower case, letter for letter: places in it are places in the text. */
function fold(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

function startOf(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isStart(text, at)) return at
  }
  return text.indexOf(word)
}

const isStart = (text: string, at: number): boolean =>
  at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')

function merged(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = result.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else result.push([from, to])
  }
  return result
}

/** The text in pieces, every second of which is marked. */
export function piecesOf(text: string, { ranges }: Match): string[] {
  const pieces: string[] = []
  let done = 0
  for (const [from, to] of ranges) {
    pieces.push(text.slice(done, from), text.slice(from, to))
    done = to
  }
  return [...pieces, text.slice(done)]
}
