import { hash, randomInt } from 'node:crypto'
import { createClock } from './clock.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** As many values as eight letters hold. */
const PART_RANGE = 2 ** 40
const TICKS_PER_MS = 1_000

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
  | 'psh'
  | 'job'

/** What the last eight letters of an id may be. */
export const ID_ENDING = /[0-9a-hjkmnp-tv-z]{8}$/

const processClock = createClock()
// In the lower half, so that a process lives for six days before it starts anew.
const firstTick = randomInt(PART_RANGE / 2)
let lastTick = 0
let lastMs = 0
let encodedTime = ''
let encodedRandom = ''

/**
 * Creates `<prefix>_<ULID in lower case>` for the time `at` in milliseconds. Ids of one process
 * sort by time and then by creation, so that lists sorted by id are in order of creation, and an
 * index of ids grows only at its end. The middle part grows with the microseconds of the process and
 * not with the number of ids: a counter would tell the owner of two ids how many others, also of
 * other workspaces, were created between them. It starts anew every 12 days; only ids of one
 * transaction around that moment can be out of order. For stored records pass the time of the transaction or of the
 * storage's clock; the default, the system time, is for ids that are not stored. `ending` takes the place of
 * the last eight letters, which are random.
 */
export function newId(prefix: IdPrefix, at = processClock.now(), ending?: string): string {
  if (at !== lastMs) {
    lastMs = at
    encodedTime = encode(at, 10)
    encodedRandom = encode(randomInt(PART_RANGE), 8)
  }
  lastTick = Math.max(lastTick + 1, Math.floor(performance.now() * TICKS_PER_MS))
  const tick = (firstTick + lastTick) % PART_RANGE
  return `${prefix}_${encodedTime}${encode(tick, 8)}${ending ?? encodedRandom}`
}

/** The ending of an id that is the same for the same text. */
export const hashToEnding = (text: string, length = 8): string =>
  [...hash('sha256', text, 'buffer').subarray(0, length)]
    .map((byte) => ALPHABET.charAt(byte % 32))
    .join('')

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
export const newRemapKey = (): string => encode(randomInt(1, PART_RANGE), 8)

/** Greater than all ids created before the time `at`, and less than all later ids. */
export const firstIdAt = (prefix: IdPrefix, at: number): string => `${prefix}_${encode(at, 10)}`

/** The time of an id in milliseconds; NaN if it has none. */
export const timeOfId = (id: string): number =>
  [...id.slice(4, 14)].reduce((ms, letter) => {
    const digit = ALPHABET.indexOf(letter)
    return digit < 0 ? Number.NaN : ms * 32 + digit
  }, 0)

function encode(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) {
    text = ALPHABET.charAt(rest % 32) + text
  }
  return text
}
