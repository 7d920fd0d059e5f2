import { createHash } from 'node:crypto'
import { firstIdAt, type IdPrefix } from '#lib/id.ts'

/** Replaces the random values of a run in a text by values that are the same in each run. */
export type Stabilizer = (text: string) => string

const ID = /\b([a-z]{3}_[0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}\b/g
const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
/** The prefix and the time of an id; the rest is random. */
const ID_START_LENGTH = 14
const SECRET = /\bwhsec_[A-Za-z0-9+/]+={0,2}/g
const SECRET_HINT = /"secret_hint":"[^"]*"/g
/** A position in base64, and its signature. */
const CURSOR = /(?<="next_cursor":")([\w-]+)\.[\w-]+/g

/** A position in the feed of changes, which is encrypted. A rank is shorter. */
const FEED_POSITION = /(?<="position":")[\w-]{40,}/g

/**
 * Creates it from all texts of a run, which contain all its random values. Ids keep their time,
 * which the story sets, and those of the same time keep their order.
 */
export function createStabilizer(texts: readonly string[]): Stabilizer {
  const replacements = new Map<string, string>()
  const findAll = (pattern: RegExp) => [
    ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([value]) => value))),
  ]
  const idsByStart = Map.groupBy(findAll(ID), (id) => id.slice(0, ID_START_LENGTH))
  for (const [start, ids] of idsByStart) {
    for (const [at, id] of ids.toSorted().entries()) replacements.set(id, completeId(start, at))
  }
  for (const [at, secret] of findAll(SECRET).entries()) {
    replacements.set(secret, exampleSecret(at + 1))
    replacements.set(hintField(secret), hintField(exampleSecret(at + 1)))
  }
  const replace = (pattern: RegExp, text: string) =>
    text.replace(pattern, (value) => replacements.get(value) ?? value)
  const replaceCursor = (_: string, encoded: string) => {
    const position = replace(ID, Buffer.from(encoded, 'base64url').toString())
    const signature = hashOf(position).subarray(0, 16).toString('base64url')
    return `${Buffer.from(position).toString('base64url')}.${signature}`
  }
  return (text) =>
    replace(SECRET_HINT, replace(SECRET, replace(ID, text)))
      .replace(CURSOR, replaceCursor)
      .replace(FEED_POSITION, hashOf('position').toString('base64url'))
}

/** The id of something that the server did not create at the time of the story. */
export const stableIdAt = (prefix: IdPrefix, at: number): string =>
  completeId(firstIdAt(prefix, at), 0)

/** 24 bytes in base64, like a generated secret; readers see that it is not real. */
export const exampleSecret = (serial: number): string =>
  `whsec_ThisIsAnExampleNotARealSecret${String(serial).padStart(3, '0')}`

const hintField = (secret: string) => `"secret_hint":"${secret.slice(-4)}"`

/** Adds 16 letters: 15 for all ids with this start, and one that counts them. */
function completeId(start: string, at: number): string {
  const bytes = [...hashOf(start).subarray(0, 15), at]
  return start + bytes.map((byte) => ID_LETTERS.charAt(byte % ID_LETTERS.length)).join('')
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()
