import { limitMarkRuns, NOT_ASCII } from './fold-case.ts'

/**
 * The distinct folded words of a text, in order of first appearance, each cut to 400 code points:
 * runs of letters and digits; each Han or kana character is a word. Thai, Lao, Khmer and Burmese are
 * written without spaces: a dictionary finds their words, and each is kept together with the next one.
 * Used for both records and search queries, which therefore match.
 */
export function extractSearchWords(text: string): string[] {
  const folded = foldWords(text)
  const runs = folded.match(WORD) ?? []
  if (!UNSPACED_LETTER.test(folded)) return [...new Set(runs.map(truncateWord))]
  return [
    ...new Set(runs.flatMap((run) => [...splitRun(run)].map(({ word }) => truncateWord(word)))),
  ]
}

/**
 * The words of a search that count: the first eight. The index is read once for each, and a text of
 * 200 characters can have a hundred. The single letter with which a Thai word begins to be typed is
 * already at the end of the word before it.
 */
export function extractQueryWords(text: string): string[] {
  const words = extractSearchWords(text)
  const typed = words.filter((word) => !isWholeWord(word) || !UNSPACED_RUN.test(word))
  return (typed.length > 0 ? typed : words).slice(0, MAX_QUERY_WORDS)
}

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
  !isWholeWord(word) && !UNSPACED_RUN.test(word) && isWordStart(folded, folded.indexOf(word))

interface WordPosition {
  word: string
  /** In UTF-16 units, without the next word that `word` may end with. */
  from: number
  to: number
}

/** Iterates over the words of a text with their positions. */
export function* iterateWords(text: string): Generator<WordPosition> {
  for (const { 0: run, index } of text.matchAll(WORD)) {
    for (const { word, from, to } of splitRun(run))
      yield { word: foldWords(word), from: index + from, to: index + to }
  }
}

/**
 * A run is a word, except in scripts without spaces. There the end of a search may be an unfinished
 * word, which a dictionary divides in another way than the whole text: the word before it, continued
 * by its first letters, is found all the same.
 */
function* splitRun(run: string): Generator<WordPosition> {
  if (!UNSPACED_RUN.test(run)) {
    yield { word: run, from: 0, to: run.length }
    return
  }
  let previous: WordPosition | undefined
  for (const { segment, index } of SEGMENTER.segment(run)) {
    if (previous) yield { ...previous, word: previous.word + segment }
    previous = { word: segment, from: index, to: index + segment.length }
  }
  if (previous) yield previous
}

/** Whether a word can begin at a position, judging by the characters around it. */
export function isWordStart(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at)
  return !ENDS_IN_WORD.test(before) || AT_IDEOGRAM.test(`${before}\n${text.slice(at, at + 2)}`)
}

/**
 * Folds a text as people read it: compatibility forms (half-width kana, ligatures) become what they
 * stand for, accents go, and full case folding makes ß and SS, ı and I, ς and σ the same. Marks that
 * make another letter stay: voiced kana, the vowels of Indic scripts, й.
 */
function foldWords(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase()
  return limitMarkRuns(text)
    .normalize('NFKC')
    .slice(0, MAX_FOLDED_LENGTH)
    .normalize('NFD')
    .replace(CYRILLIC_LETTERS, (letter) => letter.normalize('NFC'))
    .replace(ACCENTS, '$1')
    .toUpperCase()
    .toLowerCase()
    .replace(SPECIAL_LETTERS, (letter) => SPECIAL[letter] ?? letter)
    .normalize('NFC')
}

/** In UTF-16 units: twice the longest text. One sign (ﷺ) can stand for eighteen. */
const MAX_FOLDED_LENGTH = 131_072
const CYRILLIC_LETTERS = /[ИиУу]\u0306|[Іі]\u0308/gu
const ACCENTS = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}])\p{Mn}+/gu
/** Letters that Unicode does not decompose, the ß that is left of ẞ, and the Thai and Lao vowel am, which it should not. */
const SPECIAL: Record<string, string> = {
  ς: 'σ',
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  '\u0e4d\u0e32': '\u0e33',
  '\u0ecd\u0eb2': '\u0eb3',
}
const SPECIAL_LETTERS = new RegExp(Object.keys(SPECIAL).join('|'), 'gu')

/**
 * A combining mark belongs to the letter before it: NFC does not compose all of them (the vowels of
 * Devanagari), and they would otherwise split a word.
 */
const IDEOGRAM = String.raw`[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]&&[\p{L}\p{Nl}]]`
const UNSPACED = String.raw`[[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]&&[\p{L}\p{Nd}]]`
const LETTER = String.raw`[[\p{L}\p{Nd}]--[${IDEOGRAM}${UNSPACED}]]`
const WORD = new RegExp(
  String.raw`${IDEOGRAM}\p{M}*|${UNSPACED}[${UNSPACED}\p{M}]*|${LETTER}[${LETTER}\p{M}]*`,
  'gv',
)
const UNSPACED_LETTER = new RegExp(UNSPACED, 'v')
const UNSPACED_RUN = new RegExp(`^${UNSPACED}`, 'v')
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' })
/** With the flag `u` V8 (Node 26.10) does not find letters beyond U+FFFF here. */
const ENDS_IN_WORD = /[\p{L}\p{Nd}\p{M}]$/v
const AT_IDEOGRAM = new RegExp(`${IDEOGRAM}\\p{M}*\\n|\\n${IDEOGRAM}`, 'v')

const SINGLE_LETTER = new RegExp(`^[${LETTER}${UNSPACED}]$`, 'v')

const MAX_WORD_CODE_POINTS = 400
const MAX_QUERY_WORDS = 8

function truncateWord(word: string): string {
  if (word.length <= MAX_WORD_CODE_POINTS) return word
  return [...word.slice(0, 2 * MAX_WORD_CODE_POINTS)].slice(0, MAX_WORD_CODE_POINTS).join('')
}
