import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '#lib/clock.ts'
import type { AttemptResult, WebhookRequest } from '#webhooks/sender.ts'
import type { DeliveryFailure } from '#wire/event-kinds.ts'

/** An attempt that was started, whether it arrived or not. */
export interface StartedAttempt {
  delivery: string
  at: number
}

/** A network that delays and drops requests and replies, with receivers behind it. */
export interface SimulatedNetwork {
  startedAttempts: StartedAttempt[]
  /** Ids of deliveries that a receiver accepted. */
  received: Set<string>
  send(post: WebhookRequest): Promise<AttemptResult>
}

const TIMEOUT_MS = 10_000
const MAX_SLOW_MS = 4_000

/** `successRate` is the share of attempts that succeed; the replies of some of them are lost. */
export function createSimulatedNetwork(
  clock: Clock,
  random: () => number,
  successRate: number,
): SimulatedNetwork {
  const begun: StartedAttempt[] = []
  const received = new Set<string>()

  async function send({ headers }: WebhookRequest): Promise<AttemptResult> {
    const from = clock.now()
    const delivery = String(headers['X-Service-Delivery'])
    begun.push({ delivery, at: from })
    const maxDelay = random() < 0.2 ? MAX_SLOW_MS : 50
    const fail = async (error: DeliveryFailure, status: number | null = null, retry?: string) => ({
      status,
      body: status === null ? null : '',
      error,
      retry_after: retry ?? null,
      duration_ms: Math.round(clock.now() - from),
    })
    const timeOut = () => pause(from + TIMEOUT_MS - clock.now()).then(() => fail('timeout'))
    if (random() < 0.05) return timeOut()
    await pause(random() * maxDelay)
    const fate = random()
    if (fate < successRate) {
      received.add(delivery)
      if (random() < 0.05) return timeOut()
      await pause(random() * maxDelay)
      const duration_ms = Math.round(clock.now() - from)
      return { status: 204, body: '', error: null, duration_ms, retry_after: null }
    }
    await pause(random() * maxDelay)
    const kind = random()
    if (kind < 0.02) return fail('http_status', 410)
    if (kind < 0.2) return fail('http_status', 429, String(Math.ceil(random() * 20)))
    if (kind < 0.4) return fail('connection_failed')
    return kind < 0.5 ? fail('redirect', 302) : fail('http_status', 500)
  }

  return { startedAttempts: begun, received, send }
}
