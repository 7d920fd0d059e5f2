import { codePointLength, foldCase } from '#lib/fold-case.ts'
import { type FieldError, fieldError } from './field-error.ts'

/**
 * Validates a new password (docs/spec/api.md#session-cookie): 10 to 256 code points of any kind, but none of the
 * common passwords. Lone surrogates are rejected because all of them have the same hash.
 */
export function validatePassword(field: string, password: string): FieldError | undefined {
  const length = codePointLength(password)
  if (length < 10) return fieldError(field, 'too_short', 'must be at least 10 characters')
  if (length > 256) return fieldError(field, 'too_long', 'must be at most 256 characters')
  if (/\p{Cs}/u.test(password)) {
    return fieldError(field, 'invalid_characters', 'must not contain unpaired surrogates')
  }
  if (!isCommon(password)) return undefined
  return fieldError(field, 'invalid_value', 'is too common; choose another password')
}

/**
 * Common passwords of ten characters and more have few patterns: common words, alone, repeated or
 * with digits and symbols around them; a run along the keyboard; a date or telephone number; one or
 * two repeated characters.
 */
function isCommon(password: string): boolean {
  const folded = foldCase(password)
  if (new Set(folded).size <= 2) return true
  if (KEY_SEQUENCES.some((sequence) => sequence.includes(folded))) return true
  if (/^[\d ./-]{1,14}$/.test(folded)) return true
  const core = folded.replace(SURROUNDING_SYMBOLS, '')
  const letters = core.replace(/[0@$!13457]/g, (symbol) => LETTER_BY_SYMBOL[symbol] ?? symbol)
  return [core, letters].some((text) => isMadeOfWords(text.replace(/[\d\p{P}\p{S}\s]+/gu, '')))
}

/** True if the text is a sequence of common words. Takes one pass, whatever the text. */
function isMadeOfWords(letters: string): boolean {
  const ends = new Set([0])
  for (let at = 0; at < letters.length; at++) {
    if (!ends.has(at)) continue
    for (let end = at + 1; end <= at + MAX_WORD_LENGTH; end++) {
      if (COMMON_WORDS.has(letters.slice(at, end))) ends.add(end)
    }
  }
  return letters !== '' && ends.has(letters.length)
}

const SURROUNDING_SYMBOLS = /^[\d\p{P}\p{S}\s]+|[\d\p{P}\p{S}\s]+$/gu
const LETTER_BY_SYMBOL: Record<string, string> = {
  '0': 'o',
  '@': 'a',
  $: 's',
  '!': 'i',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
}

const reverse = (row: string) => [...row].toReversed().join('')
const KEYBOARD_ROWS = [
  '01234567890123456789',
  '1234567890-=',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop[]asdfghjkl;zxcvbnm,./',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'qwertyuiopasdfghjklzxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn',
  'q1w2e3r4t5y6u7i8o9p0',
  'qazwsxedcrfvtgbyhnujm',
]
const KEY_SEQUENCES = KEYBOARD_ROWS.flatMap((row) => [row, row + row, reverse(row)])

const COMMON_WORDS = new Set(
  [
    'password passwort passw pass word admin administrator root user login welcome willkommen docket',
    'qwerty qwertz azerty qwertyuiop asdf asdfgh asdfghjkl zxcvbnm abc abcd abcdef letmein iloveyou',
    'love loveyou sunshine princess prinzessin dragon monkey football baseball basketball superman',
    'batman master hello hallo freedom whatever trustno starwars pokemon liverpool chelsea arsenal',
    'jordan michael jennifer michelle daniel ashley charlie summer winter spring autumn january',
    'secret geheim computer internet samsung google test testing demo changeme default guest access',
    'shadow killer flower butterfly chocolate cookie ginger pepper soccer hockey mustang corvette',
    'you i a my me is the d q w z x c',
  ].flatMap((line) => line.split(' ')),
)
const MAX_WORD_LENGTH = Math.max(...[...COMMON_WORDS].map(({ length }) => length))
