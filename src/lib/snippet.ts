import { beginsAt, wordsIn } from './words.ts'

/** A piece of a text around the first word that was searched for. */
export interface Snippet {
  /** At most 200 UTF-16 units; an ellipsis where it was cut. */
  text: string
  /** Where the words found stand in it: from, and to (exclusive), in UTF-16 units. */
  ranges: [from: number, to: number][]
}

const LONGEST = 200
const BEFORE = 60
const ELLIPSIS = '…'

/**
 * Cuts a text around the first word that begins with one of some folded words, between words. Any
 * white space becomes a blank. Looks through the text without making all its words.
 */
export function snippetOf(text: string, words: readonly string[]): Snippet {
  const first = Math.max(0, firstOf(text, words))
  const body = between(text, first)
  const before = body.from > 0 ? ELLIPSIS : ''
  const after = body.to < text.length ? ELLIPSIS : ''
  const cut = text.slice(body.from, body.to)
  const ranges: Snippet['ranges'] = []
  for (const { word, from, to } of wordsIn(cut)) {
    if (!words.some((one) => word.startsWith(one))) continue
    ranges.push([from + before.length, to + before.length])
  }
  return { text: before + cut.replace(/\s/g, ' ') + after, ranges }
}

/** The window of a text that has a place in it and begins and ends with a word. */
function between(text: string, place: number): { from: number; to: number } {
  const room = LONGEST - 2 * ELLIPSIS.length
  if (text.length <= room) return { from: 0, to: text.length }
  const from = Math.min(Math.max(0, place - BEFORE), text.length - room)
  const to = from + room
  const whole = [...wordsIn(text.slice(from, to))]
    .map((word) => ({ from: from + word.from, to: from + word.to }))
    .filter((word) => word.from >= place || word.from === 0 || beginsAt(text, word.from))
    .filter((word) => word.to < to || to === text.length || beginsAt(text, word.to))
  const [first, last] = [whole[0], whole.at(-1)]
  // A word that fills it all is cut.
  if (!first || !last || last.to <= place)
    return apart(text, place, Math.min(place + room, text.length))
  return { from: from === 0 ? 0 : first.from, to: to === text.length ? to : last.to }
}

/** Not through a pair of surrogates. */
function apart(text: string, from: number, to: number) {
  const isLow = /^[\udc00-\udfff]/.test(text.slice(to, to + 1))
  return { from, to: isLow ? to - 1 : to }
}

/** Where the first such word stands; -1 without one. */
function firstOf(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase()
  let first = -1
  // Lower case is mostly as long: then what stands where is known, and found in a moment.
  for (const word of lower.length === text.length ? words : []) {
    let at = lower.indexOf(word)
    while (at !== -1 && !beginsAt(text, at)) at = lower.indexOf(word, at + 1)
    if (at !== -1 && (first === -1 || at < first)) first = at
  }
  if (first !== -1) return first
  for (const { word, from } of wordsIn(text)) {
    if (words.some((one) => word.startsWith(one))) return from
  }
  return -1
}
