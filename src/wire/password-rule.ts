import { fold, lengthOf } from '#lib/fold.ts'
import { type Fault, fault } from './fault.ts'

/**
 * What is wrong with a password (contract 4.5): 10 to 256 code points, any characters, but none of
 * those that everybody tries first. Half a surrogate pair is none: all of them are hashed alike.
 */
export function faultOfPassword(field: string, password: string): Fault | undefined {
  const length = lengthOf(password)
  if (length < 10) return fault(field, 'too_short', 'must have at least 10 characters')
  if (length > 256) return fault(field, 'too_long', 'must have at most 256 characters')
  if (/\p{Cs}/u.test(password)) {
    return fault(field, 'invalid_characters', 'must not hold half a surrogate pair')
  }
  if (!isCommon(password)) return undefined
  return fault(
    field,
    'invalid_value',
    'is among the passwords that are tried first; choose another',
  )
}

/**
 * The commonest passwords of ten characters and more are all made alike: few words, alone, said again
 * or with figures and signs around; a run along the keyboard; a date or a telephone number; one or two
 * characters repeated.
 */
function isCommon(password: string): boolean {
  const folded = fold(password)
  if (new Set(folded).size <= 2) return true
  if (ROWS.some((row) => row.includes(folded))) return true
  if (/^[\d ./-]{1,14}$/.test(folded)) return true
  const core = folded.replace(AROUND, '')
  const plain = core.replace(/[0@$!13457]/g, (sign) => PLAIN[sign] ?? sign)
  return [core, plain].some((text) => isOfWords(text.replace(/[\d\p{P}\p{S}\s]+/gu, '')))
}

/** Nothing but common words, one after the other. In one pass, whatever the text. */
function isOfWords(letters: string): boolean {
  const ends = new Set([0])
  for (let at = 0; at < letters.length; at++) {
    if (!ends.has(at)) continue
    for (let end = at + 1; end <= at + LONGEST; end++) {
      if (WORDS.has(letters.slice(at, end))) ends.add(end)
    }
  }
  return letters !== '' && ends.has(letters.length)
}

const AROUND = /^[\d\p{P}\p{S}\s]+|[\d\p{P}\p{S}\s]+$/gu
const PLAIN: Record<string, string> = {
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

const turned = (row: string) => [...row].toReversed().join('')
const RUNS = [
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
const ROWS = RUNS.flatMap((row) => [row, row + row, turned(row)])

const WORDS = new Set(
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
const LONGEST = Math.max(...[...WORDS].map(({ length }) => length))
