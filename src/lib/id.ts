import { randomInt } from 'node:crypto'
import { createClock } from './clock.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const MAX_COUNTER_START = 2 ** 39

/** The id prefix of each kind of record (docs/spec/api.md#identifiers). */
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
  | 'job'

const processClock = createClock()
let counter = randomInt(MAX_COUNTER_START)
let lastMs = 0
let encodedTime = ''
let encodedRandom = ''

/**
 * Creates `<prefix>_<ULID in lower case>` for the time `at` in milliseconds. Ids of one process
 * sort by time and then by creation, so that lists sorted by id are in order of creation, and an
 * index of ids grows only at its end. For stored records pass the time of the transaction or of the
 * storage's clock; the default, the system time, is for ids that are not stored.
 */
export function newId(prefix: IdPrefix, at = processClock.now()): string {
  if (at !== lastMs) {
    lastMs = at
    encodedTime = encode(at, 10)
    encodedRandom = encode(randomInt(2 ** 40), 8)
  }
  counter += 1
  return `${prefix}_${encodedTime}${encode(counter, 8)}${encodedRandom}`
}

/**
 * Maps an id to another id of the same kind and time. With the same `key` (eight letters of an id),
 * different ids map to different ids, in the same order if one process created them.
 */
export function remapId(id: string, key: string): string {
  const letters = [...id.slice(-key.length)].map((letter, at) => {
    return ALPHABET.charAt(ALPHABET.indexOf(letter) ^ ALPHABET.indexOf(key.charAt(at)))
  })
  return id.slice(0, -key.length) + letters.join('')
}

/** A key for `remapId` that maps no id to itself. */
export const newRemapKey = (): string => encode(randomInt(1, 2 ** 40), 8)

/** Greater than all ids created before the time `at`, and less than all later ids. */
export const firstIdAt = (prefix: IdPrefix, at: number): string => `${prefix}_${encode(at, 10)}`

function encode(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) {
    text = ALPHABET.charAt(rest % 32) + text
  }
  return text
}
