import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const TOLERANCE_SECONDS = 300

/**
 * Whether Docket sent these bytes within the last five minutes. The signature covers the event's id
 * and the time as well, which prevents replays. While a secret is being rotated, the header has two
 * signatures, of which one must match.
 */
export function isSignedByDocket(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string,
): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  )
  const age = Date.now() / 1000 - Number(timestamp)
  if (!(Math.abs(age) <= TOLERANCE_SECONDS)) return false
  const mac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body)
  const mine = Buffer.from(`v1,${mac.digest('base64')}`)
  return signatures?.split(' ').some((theirs) => isSame(Buffer.from(theirs), mine)) ?? false
}

const PREFIX = 'whsec_'

/** Strict: Node decodes malformed base64 too, and of some secrets nothing would be left. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The key of a secret: its decoded base64 if that has 16 to 64 bytes, otherwise its text. */
function keyOf(secret: string): string | Buffer {
  const encoded = secret.slice(PREFIX.length)
  if (!secret.startsWith(PREFIX) || !BASE64.test(encoded)) return secret
  const key = Buffer.from(encoded, 'base64')
  return key.length >= 16 && key.length <= 64 ? key : secret
}

/** In constant time: stopping at the first difference would reveal how much of a guess is right. */
const isSame = (theirs: Buffer, mine: Buffer) =>
  theirs.length === mine.length && timingSafeEqual(theirs, mine)
