import { setTimeout as pause } from 'node:timers/promises'
import type { Post, Reception } from '#delivery/send.ts'
import type { Clock } from '#lib/clock.ts'
import type { Failure } from '#wire/events.ts'

/** An attempt as it was begun, whether it arrived or not. */
export interface Begun {
  delivery: string
  at: number
}

/** A net that delays, drops and forgets, and receivers behind it. */
export interface SimulatedNet {
  begun: Begun[]
  /** Deliveries that were received well. */
  received: Set<string>
  send(post: Post): Promise<Reception>
}

const TIMEOUT_MS = 10_000
const SLOW_MS = 4_000

/** `health` is the part of attempts that go well; some that do are not heard of. */
export function simulatedNet(clock: Clock, random: () => number, health: number): SimulatedNet {
  const begun: Begun[] = []
  const received = new Set<string>()

  async function send({ headers }: Post): Promise<Reception> {
    const from = clock.now()
    const delivery = String(headers['X-Service-Delivery'])
    begun.push({ delivery, at: from })
    const slow = random() < 0.2 ? SLOW_MS : 50
    const failed = async (error: Failure, status: number | null = null, retry?: string) => ({
      ...{ status, body: status === null ? null : '', error, retry_after: retry ?? null },
      duration_ms: Math.round(clock.now() - from),
    })
    const silence = () => pause(from + TIMEOUT_MS - clock.now()).then(() => failed('timeout'))
    if (random() < 0.05) return silence()
    await pause(random() * slow)
    const fate = random()
    if (fate < health) {
      received.add(delivery)
      if (random() < 0.05) return silence()
      await pause(random() * slow)
      const duration_ms = Math.round(clock.now() - from)
      return { status: 204, body: '', error: null, duration_ms, retry_after: null }
    }
    await pause(random() * slow)
    const kind = random()
    if (kind < 0.02) return failed('http_status', 410)
    if (kind < 0.2) return failed('http_status', 429, String(Math.ceil(random() * 20)))
    if (kind < 0.4) return failed('connection_failed')
    return kind < 0.5 ? failed('redirect', 302) : failed('http_status', 500)
  }

  return { begun, received, send }
}
