import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '#core/refusal.ts'

/** How long an upload may take (contract 1.1), in all and without a byte; and a reader without taking one. */
export const PATIENCE = { wholeMs: 600_000, idleMs: 30_000, stalledMs: 60_000 }

const unhurried = new WeakSet<Duplex>()

/** Whether an upload comes in on the socket: the 30 seconds of other requests are not for it. */
export const isUnhurried = (socket: Duplex): boolean => unhurried.has(socket)

/**
 * The bytes of a body as they come, with the patience for uploads; nothing is read ahead. Whoever
 * stops before the end leaves the rest unread. A 408 when it takes too long.
 */
export async function* patiently(request: IncomingMessage): AsyncGenerator<Buffer> {
  const { socket } = request
  const chunks = request.iterator({ destroyOnReturn: false })
  const deadline = performance.now() + PATIENCE.wholeMs
  unhurried.add(socket)
  try {
    for (;;) {
      const left = Math.min(PATIENCE.idleMs, deadline - performance.now())
      const next = await within(chunks.next(), left)
      if (next.done) {
        unhurried.delete(socket)
        return
      }
      yield next.value as Buffer
    }
  } finally {
    // A socket of which not all was read is answered and closed: nobody else need be in a hurry on it.
    // One that waits for a byte ends when the socket does.
    chunks.return?.().catch(() => {})
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), ms)
  try {
    return await Promise.race([work, promise])
  } catch (error) {
    throw error instanceof Refusal ? error : brokenOff()
  } finally {
    clearTimeout(timer)
  }
}

const late = () =>
  new Refusal(408, 'request_timeout', 'The file did not arrive in time.', {
    headers: { connection: 'close' },
  })

/** Nobody is there to read it. */
const brokenOff = () => new Refusal(400, 'invalid_request', 'The body broke off.')
