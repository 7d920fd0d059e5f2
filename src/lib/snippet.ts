import { findCut } from './cut-text.ts'
import { isWholeWord, isWordStart, iterateWords, matchesWord } from './search-words.ts'

/** An excerpt of a text around the first match of a search. */
interface Snippet {
  /** At most 200 UTF-16 units, with an ellipsis where text was cut off. */
  text: string
  /** The matches in `text`: start and end (exclusive), in UTF-16 units. */
  ranges: [from: number, to: number][]
}

const MAX_SNIPPET_LENGTH = 200
const MAX_LENGTH_BEFORE_MATCH = 60
const ELLIPSIS = '…'

/**
 * Cuts an excerpt, at word boundaries, around the first word that matches one of the folded search
 * words. White space becomes a space. Does not split the whole text into words.
 */
export function createSnippet(text: string, words: readonly string[]): Snippet {
  const first = Math.max(0, findFirstMatch(text, words))
  const body = findWindow(text, first)
  const before = body.from > 0 ? ELLIPSIS : ''
  const after = body.to < text.length ? ELLIPSIS : ''
  const cut = text.slice(body.from, body.to)
  const ranges: Snippet['ranges'] = []
  for (const { word, from, to } of iterateWords(cut)) {
    if (!words.some((searchWord) => matchesWord(searchWord, word))) continue
    ranges.push([from + before.length, to + before.length])
  }
  return { text: before + cut.replace(/\s/g, ' ') + after, ranges }
}

/** The range around a position that begins and ends with a whole word. */
function findWindow(text: string, position: number): { from: number; to: number } {
  const maxLength = MAX_SNIPPET_LENGTH - 2 * ELLIPSIS.length
  if (text.length <= maxLength) return { from: 0, to: text.length }
  const from = Math.min(Math.max(0, position - MAX_LENGTH_BEFORE_MATCH), text.length - maxLength)
  const to = from + maxLength
  const wholeWords = [...iterateWords(text.slice(from, to))]
    .map((word) => ({ from: from + word.from, to: from + word.to }))
    .filter((word) => word.from >= position || word.from === 0 || isWordStart(text, word.from))
    .filter((word) => word.to < to || to === text.length || isWordStart(text, word.to))
  const [first, last] = [wholeWords[0], wholeWords.at(-1)]
  // A word longer than the whole range is cut.
  if (!first || !last || last.to <= position)
    return { from: position, to: findCut(text, position + maxLength) }
  return { from: from === 0 ? 0 : first.from, to: to === text.length ? to : last.to }
}

const isMatchAt = (text: string, at: number, word: string): boolean =>
  isWordStart(text, at) && (!isWholeWord(word) || isWordStart(text, at + word.length))

/** The position of the first matching word; -1 without one. */
function findFirstMatch(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase()
  let first = -1
  // Lower case mostly keeps the length, and then positions are the same and a fast search is
  // possible.
  for (const word of lower.length === text.length ? words : []) {
    let at = lower.indexOf(word)
    while (at !== -1 && !isMatchAt(text, at, word)) at = lower.indexOf(word, at + 1)
    if (at !== -1 && (first === -1 || at < first)) first = at
  }
  if (first !== -1) return first
  for (const { word, from } of iterateWords(text)) {
    if (words.some((searchWord) => matchesWord(searchWord, word))) return from
  }
  return -1
}
