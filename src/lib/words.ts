import { fold } from './fold.ts'

/**
 * The distinct words of a text after folding, in order of first appearance, each cut to 400 code
 * points: runs of letters and digits; a Han or kana character is a word of its own. Both what is
 * searched and what is searched for go through here.
 */
export function wordsOf(text: string): string[] {
  const found = folded(text).match(WORD) ?? []
  return [...new Set(found.map(cut))]
}

/** Whether each of some words begins one of a text. */
export function holdsWords(text: string, words: readonly string[]): boolean {
  const whole = folded(text)
  if (!words.every((word) => whole.includes(word))) return false
  const own = wordsOf(text)
  return words.every((word) => own.some((one) => one.startsWith(word)))
}

/** The words of a text where they stand in it, in UTF-16 units. */
export function* wordsIn(text: string): Generator<{ word: string; from: number; to: number }> {
  for (const { 0: found, index } of text.matchAll(WORD)) {
    yield { word: folded(found), from: index, to: index + found.length }
  }
}

/** Whether a word may begin at a place of a text, as far as the signs around it tell. */
export function beginsAt(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at)
  return !ENDS_IN_WORD.test(before) || AT_IDEOGRAM.test(`${before}\n${text.slice(at, at + 2)}`)
}

const folded = (text: string) => fold(text).replaceAll('ς', 'σ')

/**
 * A mark belongs to the letter before it: NFC leaves many marks apart (the vowels of Devanagari),
 * and they would otherwise cut a word in pieces. A final sigma is folded like any other, because
 * lower-casing alone would make ΟΔΟΣ no prefix of ΟΔΟΣΗΜΟ.
 */
const IDEOGRAM = String.raw`[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]&&[\p{L}\p{Nl}]]`
const LETTER = String.raw`[[\p{L}\p{Nd}]--${IDEOGRAM}]`
const WORD = new RegExp(String.raw`${IDEOGRAM}\p{M}*|${LETTER}[${LETTER}\p{M}]*`, 'gv')
const ENDS_IN_WORD = /[\p{L}\p{Nd}\p{M}]$/u
const AT_IDEOGRAM = new RegExp(`${IDEOGRAM}\\p{M}*\\n|\\n${IDEOGRAM}`, 'v')

const LONGEST = 400

function cut(word: string): string {
  if (word.length <= LONGEST) return word
  return [...word.slice(0, 2 * LONGEST)].slice(0, LONGEST).join('')
}
