import { createHmac } from 'node:crypto'

/** The values of one delivery attempt that its headers contain or sign. */
export interface SigningInput {
  delivery_id: string
  event_id: string
  event_type: string
  /** 1 for the first. */
  attempt: number
  /** The time of this attempt in milliseconds: each attempt is signed again. */
  at: number
  /** The envelope as stored; its UTF-8 bytes are signed and sent. */
  body: string
  secret: string
  /** The previous secret while both are valid (docs/spec/api.md#signatures-and-secrets), otherwise null. */
  previous_secret: string | null
}

/** All headers of an attempt, in the documented case (docs/spec/api.md#webhook-delivery). */
export function createSignedHeaders(attempt: SigningInput): Record<string, string> {
  const { event_id: id, body, secret, previous_secret } = attempt
  const timestamp = Math.floor(attempt.at / 1000)
  const standard = signStandardWebhook({ id, timestamp, body, secret })
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Docket-Webhooks/1',
    'X-Service-Signature': signBody(body, secret),
    'X-Service-Event': attempt.event_type,
    'X-Service-Delivery': attempt.delivery_id,
    'X-Service-Attempt': String(attempt.attempt),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard,
  }
  if (previous_secret === null) return headers
  const previous = signStandardWebhook({ id, timestamp, body, secret: previous_secret })
  return {
    ...headers,
    'X-Service-Signature-Previous': signBody(body, previous_secret),
    'webhook-signature': `${standard} ${previous}`,
  }
}

/** The value of `X-Service-Signature`: signs the body alone with the whole text of the secret. */
export const signBody = (body: string | Uint8Array, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/**
 * The input of `webhook-signature`, which also signs the event id and the Unix time of the attempt.
 */
export interface StandardSignatureInput {
  id: string
  timestamp: number
  body: string | Uint8Array
  secret: string
}

/** One signature of `webhook-signature`, as Standard Webhooks specifies. */
export function signStandardWebhook({
  id,
  timestamp,
  body,
  secret,
}: StandardSignatureInput): string {
  const mac = createHmac('sha256', toStandardKey(secret)).update(`${id}.${timestamp}.`)
  return `v1,${mac.update(body).digest('base64')}`
}

const PREFIX = 'whsec_'

/** Strict: Node decodes malformed base64 too, which another verifier would reject. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The key of a secret: its decoded base64 if that has 16 to 64 bytes, otherwise its text. */
function toStandardKey(secret: string): string | Buffer {
  const encoded = secret.slice(PREFIX.length)
  if (!secret.startsWith(PREFIX) || !BASE64.test(encoded)) return secret
  const key = Buffer.from(encoded, 'base64')
  return key.length >= 16 && key.length <= 64 ? key : secret
}
