import { createHmac } from 'node:crypto'
import type { Clock } from '#lib/clock.ts'
import type { DueWebhook, ReadyDelivery } from './queue.ts'
import type { AttemptResult, WebhookSender } from './sender.ts'

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
 * One signature of `webhook-signature`, as Standard Webhooks specifies: of the body with the event id and
 * the Unix time of the attempt.
 */
export function signStandardWebhook(signed: {
  id: string
  timestamp: number
  body: string | Uint8Array
  secret: string
}): string {
  const mac = createHmac('sha256', toStandardKey(signed.secret))
  return `v1,${mac.update(`${signed.id}.${signed.timestamp}.`).update(signed.body).digest('base64')}`
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

/** One attempt at a delivery: the request that was made, and its result. */
export interface DeliveryAttempt extends AttemptResult {
  delivery: Omit<ReadyDelivery, 'body'>
  webhook_id: string
  activation: number
  number: number
  /** Milliseconds since 1970. */
  startedAt: number
  url: string
  headers: Record<string, string>
  /** It can never be sent: its event is gone, or its secret cannot be decrypted. */
  isUnsendable: boolean
}

/** The dependencies of delivery attempts. */
export interface AttemptDeps {
  send: WebhookSender['send']
  /** Decrypts a stored secret of a workspace. */
  decrypt(sealed: string, workspace_id: string): string
  log: { error(about: object, message: string): void }
}

/** Creates the function that makes one attempt: it signs with the secrets valid now, and sends. */
export function createAttemptRunner({ send, decrypt, log }: AttemptDeps, clock: Clock) {
  return async (
    workspace_id: string,
    target: DueWebhook,
    ready: ReadyDelivery,
  ): Promise<DeliveryAttempt> => {
    const { body, ...delivery } = ready
    const { id: webhook_id, url, activation } = target
    const startedAt = clock.now()
    const number = delivery.attempt_count + 1
    const attempt = { delivery, webhook_id, activation, number, startedAt, url }
    let headers: Record<string, string>
    try {
      if (body === null) throw new Error('The event of this delivery no longer exists')
      const { sealed_previous_secret: previous, previous_secret_expires_at: expires } = target
      const overlaps = previous !== null && expires !== null && Date.parse(expires) > startedAt
      headers = createSignedHeaders({
        delivery_id: delivery.id,
        event_id: delivery.event_id,
        event_type: delivery.event_type,
        attempt: number,
        at: startedAt,
        body,
        secret: decrypt(target.sealed_secret, workspace_id),
        previous_secret: overlaps ? decrypt(previous, workspace_id) : null,
      })
    } catch (err) {
      log.error({ err, delivery_id: delivery.id }, 'Failed to prepare a delivery')
      return { ...attempt, headers: {}, ...UNSENT, isUnsendable: true }
    }
    // Whatever goes wrong from here on may go well the next time.
    const reception = await send({ url, headers, body }).catch((err: unknown) => {
      log.error({ err, delivery_id: delivery.id }, 'Failed to send a delivery')
      return UNSENT
    })
    return { ...attempt, headers, ...reception, isUnsendable: false }
  }
}

const UNSENT: AttemptResult = {
  status: null,
  body: null,
  error: 'connection_failed',
  duration_ms: 0,
  retry_after: null,
}
