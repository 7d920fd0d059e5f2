import { fold } from './fold.ts'

/**
 * The distinct words of a text after folding, in order of first appearance, each cut to 400 code
 * points: runs of letters and digits; a Han or kana character is a word of its own. Both what is
 * searched and what is searched for go through here.
 */
export function wordsOf(text: string): string[] {
  const found = fold(text).replaceAll('ς', 'σ').match(WORD) ?? []
  return [...new Set(found.map(cut))]
}

/**
 * A mark belongs to the letter before it: NFC leaves many marks apart (the vowels of Devanagari),
 * and they would otherwise cut a word in pieces. A final sigma is folded like any other, because
 * lower-casing alone would make ΟΔΟΣ no prefix of ΟΔΟΣΗΜΟ.
 */
const IDEOGRAM = String.raw`[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]&&[\p{L}\p{Nl}]]`
const LETTER = String.raw`[[\p{L}\p{Nd}]--${IDEOGRAM}]`
const WORD = new RegExp(String.raw`${IDEOGRAM}\p{M}*|${LETTER}[${LETTER}\p{M}]*`, 'gv')

const LONGEST = 400

function cut(word: string): string {
  if (word.length <= LONGEST) return word
  return [...word.slice(0, 2 * LONGEST)].slice(0, LONGEST).join('')
}
