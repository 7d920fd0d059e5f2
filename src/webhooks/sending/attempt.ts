import type { Clock } from '#lib/clock.ts'
import type { DueWebhook, ReadyDelivery } from '../dispatch/store.ts'
import type { AttemptResult } from './response-handler.ts'
import type { WebhookSender } from './sender.ts'
import { createSignedHeaders } from './sign.ts'

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

/** Decrypts a stored secret of a workspace. */
export type DecryptSecret = (sealed: string, workspace_id: string) => string

/** The dependencies of delivery attempts. */
export interface AttemptDeps {
  send: WebhookSender['send']
  decrypt: DecryptSecret
  log: { error(about: object, message: string): void }
}

const MAX_CACHED_SECRETS = 1_000

/** Creates the function that makes one attempt: it signs with the secrets valid now, and sends. */
export function createAttemptRunner({ send, decrypt, log }: AttemptDeps, clock: Clock) {
  const secrets = new Map<string, string>()

  function secret(sealed: string, workspace_id: string): string {
    const cached = secrets.get(sealed)
    if (cached !== undefined) return cached
    if (secrets.size >= MAX_CACHED_SECRETS) secrets.clear()
    const decrypted = decrypt(sealed, workspace_id)
    secrets.set(sealed, decrypted)
    return decrypted
  }

  function createHeaders(
    workspace_id: string,
    target: DueWebhook,
    delivery: ReadyDelivery,
    at: number,
  ) {
    const { sealed_previous_secret: previous, previous_secret_expires_at: expires } = target
    const overlaps = previous !== null && expires !== null && Date.parse(expires) > at
    return createSignedHeaders({
      delivery_id: delivery.id,
      event_id: delivery.event_id,
      event_type: delivery.event_type,
      attempt: delivery.attempt_count + 1,
      at,
      body: delivery.body ?? '',
      secret: secret(target.sealed_secret, workspace_id),
      previous_secret: overlaps ? secret(previous, workspace_id) : null,
    })
  }

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
    try {
      if (body === null) throw new Error('The event of this delivery no longer exists')
      const headers = createHeaders(workspace_id, target, ready, startedAt)
      const reception = await send({ url, headers, body })
      return { ...attempt, headers, ...reception, isUnsendable: false }
    } catch (err) {
      log.error({ err, delivery_id: delivery.id }, 'Failed to prepare a delivery')
      return { ...attempt, headers: {}, ...UNSENT, isUnsendable: true }
    }
  }
}

const UNSENT: AttemptResult = {
  status: null,
  body: null,
  error: 'connection_failed',
  duration_ms: 0,
  retry_after: null,
}
