import type { Clock } from '#lib/clock.ts'
import type { Reception, Sender } from './send.ts'
import { signedHeaders } from './sign.ts'
import type { Ready, Target } from './store.ts'

/** How one attempt at a delivery went, and how it was made. */
export interface Attempt extends Reception {
  delivery: Omit<Ready, 'body'>
  webhook_id: string
  activation: number
  number: number
  /** Milliseconds since 1970. */
  started: number
  url: string
  headers: Record<string, string>
  /** It cannot be sent, now or ever: there is nothing to send, or nothing to sign it with. */
  broken: boolean
}

/** What opens the secrets of a workspace. */
export type Unseal = (sealed: string, workspace_id: string) => string

/** What attempts are made with. */
export interface Means {
  send: Sender['send']
  unseal: Unseal
  log: { error(about: object, message: string): void }
}

const MOST_SECRETS = 1_000

/** Makes attempts: signs with the secrets of the moment, and sends. */
export function attempts({ send, unseal, log }: Means, clock: Clock) {
  const secrets = new Map<string, string>()

  function secret(sealed: string, workspace_id: string): string {
    const known = secrets.get(sealed)
    if (known !== undefined) return known
    if (secrets.size >= MOST_SECRETS) secrets.clear()
    const opened = unseal(sealed, workspace_id)
    secrets.set(sealed, opened)
    return opened
  }

  function headersOf(workspace_id: string, target: Target, delivery: Ready, at: number) {
    const { sealed_previous_secret: previous, previous_secret_expires_at: expires } = target
    const overlaps = previous !== null && expires !== null && Date.parse(expires) > at
    return signedHeaders({
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

  return async (workspace_id: string, target: Target, ready: Ready): Promise<Attempt> => {
    const { body, ...delivery } = ready
    const { id: webhook_id, url, activation } = target
    const started = clock.now()
    const number = delivery.attempt_count + 1
    const made = { delivery, webhook_id, activation, number, started, url }
    try {
      if (body === null) throw new Error('The event of this delivery is gone')
      const headers = headersOf(workspace_id, target, ready, started)
      const reception = await send({ url, headers, body })
      return { ...made, headers, ...reception, broken: false }
    } catch (err) {
      log.error({ err, delivery_id: delivery.id }, 'A delivery cannot be sent')
      return { ...made, headers: {}, ...UNSENT, broken: true }
    }
  }
}

const UNSENT: Reception = {
  status: null,
  body: null,
  error: 'connection_failed',
  duration_ms: 0,
  retry_after: null,
}
