import { foldCase } from './fold-case.ts'

/**
 * The distinct folded words of a text, in order of first appearance, each cut to 400 code points:
 * runs of letters and digits; each Han or kana character is a word. Used for both records and
 * search queries, which therefore match.
 */
export function extractSearchWords(text: string): string[] {
  const matches = foldWords(text).match(WORD) ?? []
  return [...new Set(matches.map(truncateWord))]
}

/**
 * The words of a search that count: the first eight. The index is read once for each, and a text of
 * 200 characters can have a hundred.
 */
export const extractQueryWords = (text: string): string[] =>
  extractSearchWords(text).slice(0, MAX_QUERY_WORDS)

/**
 * Whether a search word matches only the same whole word: a single letter or digit begins words of
 * nearly every text, and to find them the index would be read almost as a whole. Han and kana are no
 * letters here, as each of them is a word.
 */
export const isWholeWord = (word: string): boolean => SINGLE_LETTER.test(word)

/** Whether a search word matches a word of a text. Both are folded. */
export const matchesWord = (searchWord: string, textWord: string): boolean =>
  isWholeWord(searchWord) ? textWord === searchWord : textWord.startsWith(searchWord)

/** Whether each search word matches a word in the text. */
export function hasAllWords(text: string, words: readonly string[]): boolean {
  const folded = foldWords(text)
  if (!words.every((word) => folded.includes(word))) return false
  if (words.every((word) => beginsAtFirst(folded, word))) return true
  const textWords = extractSearchWords(text)
  return words.every((word) => textWords.some((textWord) => matchesWord(word, textWord)))
}

/**
 * Whether a text certainly has a word with this beginning where it first occurs: for the most
 * frequent case, in which the text need not be split into words.
 */
const beginsAtFirst = (folded: string, word: string): boolean =>
  !isWholeWord(word) && isWordStart(folded, folded.indexOf(word))

/** Iterates over the words of a text with their positions, in UTF-16 units. */
export function* iterateWords(text: string): Generator<{ word: string; from: number; to: number }> {
  for (const { 0: match, index } of text.matchAll(WORD)) {
    yield { word: foldWords(match), from: index, to: index + match.length }
  }
}

/** Whether a word can begin at a position, judging by the characters around it. */
export function isWordStart(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at)
  return !ENDS_IN_WORD.test(before) || AT_IDEOGRAM.test(`${before}\n${text.slice(at, at + 2)}`)
}

/**
 * Normalized once more, because a capital with tonos and iota subscript (Ώͅ) has no composed form,
 * but its lower case has one (ῴ), and the word must be the same whichever of them is typed.
 */
const foldWords = (text: string) => foldCase(text).normalize('NFC').replaceAll('ς', 'σ')

/**
 * A combining mark belongs to the letter before it: NFC does not compose all of them (the vowels of
 * Devanagari), and they would otherwise split a word. The final sigma is folded like any other,
 * because with lower-casing alone ΟΔΟΣ would not be a prefix of ΟΔΟΣΗΜΟ.
 */
const IDEOGRAM = String.raw`[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]&&[\p{L}\p{Nl}]]`
const LETTER = String.raw`[[\p{L}\p{Nd}]--${IDEOGRAM}]`
const WORD = new RegExp(String.raw`${IDEOGRAM}\p{M}*|${LETTER}[${LETTER}\p{M}]*`, 'gv')
/** With the flag `u` V8 (Node 26.10) does not find letters beyond U+FFFF here. */
const ENDS_IN_WORD = /[\p{L}\p{Nd}\p{M}]$/v
const AT_IDEOGRAM = new RegExp(`${IDEOGRAM}\\p{M}*\\n|\\n${IDEOGRAM}`, 'v')

const SINGLE_LETTER = new RegExp(`^${LETTER}$`, 'v')

const MAX_WORD_CODE_POINTS = 400
const MAX_QUERY_WORDS = 8

function truncateWord(word: string): string {
  if (word.length <= MAX_WORD_CODE_POINTS) return word
  return [...word.slice(0, 2 * MAX_WORD_CODE_POINTS)].slice(0, MAX_WORD_CODE_POINTS).join('')
}
