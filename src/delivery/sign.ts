import { createHmac } from 'node:crypto'

/** One attempt to deliver an event, with all that its headers tell and sign. */
export interface Attempt {
  delivery_id: string
  event_id: string
  event_type: string
  /** 1 for the first. */
  attempt: number
  /** The instant of this attempt in milliseconds: a later one is signed anew. */
  at: number
  /** The envelope as it was stored; its UTF-8 bytes are what is signed and sent. */
  body: string
  secret: string
  /** The secret before this one while both hold (contract 8.6), otherwise null. */
  previous_secret: string | null
}

/** All headers of an attempt (contract 8.5), spelt as the contract spells them. */
export function signedHeaders(attempt: Attempt): Record<string, string> {
  const { event_id: id, body, secret, previous_secret } = attempt
  const timestamp = Math.floor(attempt.at / 1000)
  const standard = standardSignatureOf({ id, timestamp, body, secret })
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Docket-Webhooks/1',
    'X-Service-Signature': signatureOf(body, secret),
    'X-Service-Event': attempt.event_type,
    'X-Service-Delivery': attempt.delivery_id,
    'X-Service-Attempt': String(attempt.attempt),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard,
  }
  if (previous_secret === null) return headers
  const previous = standardSignatureOf({ id, timestamp, body, secret: previous_secret })
  return {
    ...headers,
    'X-Service-Signature-Previous': signatureOf(body, previous_secret),
    'webhook-signature': `${standard} ${previous}`,
  }
}

/** The value of `X-Service-Signature`: of the body alone, by the whole text of the secret. */
export const signatureOf = (body: string | Uint8Array, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** What `webhook-signature` signs: the event's id and the Unix seconds of the attempt too. */
export interface Standard {
  id: string
  timestamp: number
  body: string | Uint8Array
  secret: string
}

/** One signature of `webhook-signature`, by the rules of Standard Webhooks. */
export function standardSignatureOf({ id, timestamp, body, secret }: Standard): string {
  const mac = createHmac('sha256', standardKeyOf(secret)).update(`${id}.${timestamp}.`)
  return `v1,${mac.update(body).digest('base64')}`
}

const PREFIX = 'whsec_'

/** Judged strictly: Node decodes whatever it is given, and another receiver would refuse it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The bytes that a secret's base64 stands for, if they are 16 to 64; else its own text. */
function standardKeyOf(secret: string): string | Buffer {
  const encoded = secret.slice(PREFIX.length)
  if (!secret.startsWith(PREFIX) || !BASE64.test(encoded)) return secret
  const key = Buffer.from(encoded, 'base64')
  return key.length >= 16 && key.length <= 64 ? key : secret
}
