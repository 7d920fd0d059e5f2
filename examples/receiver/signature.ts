import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const TOLERANCE_SECONDS = 300

/**
 * Whether Docket sent these bytes, and no more than five minutes ago. `webhook-signature` signs the
 * event's id and the time too, so what somebody recorded is worth nothing later. While a secret is
 * being changed the header holds two signatures, and the one that we can make is enough.
 */
export function isFromDocket(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  )
  const age = Date.now() / 1000 - Number(timestamp)
  if (!(Math.abs(age) <= TOLERANCE_SECONDS)) return false
  const mac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body)
  const mine = Buffer.from(`v1,${mac.digest('base64')}`)
  return signatures?.split(' ').some((theirs) => isSame(Buffer.from(theirs), mine)) ?? false
}

const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)

/** In constant time: one that ends at the first difference tells how far a guess is right. */
const isSame = (theirs: Buffer, mine: Buffer) =>
  theirs.length === mine.length && timingSafeEqual(theirs, mine)
