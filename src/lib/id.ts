import { randomInt } from 'node:crypto'
import { createClock } from './clock.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const HALF = 2 ** 39

/** Kinds of record, and the prefix that an id of that kind carries (contract 1.5). */
export type IdPrefix =
  | 'prj'
  | 'tsk'
  | 'cmt'
  | 'tme'
  | 'tag'
  | 'viw'
  | 'tpl'
  | 'usr'
  | 'whk'
  | 'evt'
  | 'dlv'
  | 'dsp'
  | 'att'
  | 'key'
  | 'app'
  | 'grt'
  | 'ses'
  | 'pky'
  | 'inv'
  | 'imp'
  | 'exp'
  | 'wsp'
  | 'opr'
  | 'act'
  | 'req'
  | 'ntf'
  | 'ltr'

const processClock = createClock()
let counter = randomInt(HALF)
let instant = 0
let time = ''
let random = ''

/**
 * `<prefix>_<ULID in lower case>`, for the instant `at` (milliseconds). Ids of one process sort by
 * instant and then by the order in which they were made, so a list in order of id is a list in order
 * of creation, and an index of ids only ever grows at its end. An id of a record takes the instant of
 * its transaction or of the clock of its storage; the time of the machine is for ids of nothing stored.
 */
export function newId(prefix: IdPrefix, at = processClock.now()): string {
  if (at !== instant) {
    instant = at
    time = encode(at, 10)
    random = encode(randomInt(2 ** 40), 8)
  }
  counter += 1
  return `${prefix}_${time}${encode(counter, 8)}${random}`
}

/**
 * Another id of the same kind and instant. With the same `key` (eight letters of an id) different ids
 * give different ones, in the same order as long as they were made by one process.
 */
export function twinOf(id: string, key: string): string {
  const letters = [...id.slice(-key.length)].map((letter, at) => {
    return ALPHABET.charAt(ALPHABET.indexOf(letter) ^ ALPHABET.indexOf(key.charAt(at)))
  })
  return id.slice(0, -key.length) + letters.join('')
}

/** A key for `twinOf`, under which no id is its own twin. */
export const newTwinKey = (): string => encode(randomInt(1, 2 ** 40), 8)

/** What no id made before the instant reaches and every later one exceeds. */
export const firstIdAt = (prefix: IdPrefix, at: number): string => `${prefix}_${encode(at, 10)}`

function encode(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) {
    text = ALPHABET.charAt(rest % 32) + text
  }
  return text
}
