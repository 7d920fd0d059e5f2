import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** What a stopping server needs, in the order in which it is stopped. */
export interface Stopping {
  drain: { draining: boolean }
  /** Seconds for which it keeps accepting, so that a balancer can turn away. */
  drainSeconds: number
  server: FastifyInstance
  /** Ends what runs beside the requests; it has the same time as they have, not its own after them. */
  beside: () => Promise<void>
  /** Ends what all of them need, the storage last. */
  end: () => Promise<void>
}

/** A supervisor kills what has not stopped after half a minute. */
const PATIENCE_MS = 25_000
const SWEEP_MS = 50

/**
 * Ends a server without failing a request: readiness is denied while it still accepts, then no
 * connection is taken any more, and what is under way is finished. What takes longer than
 * `patienceMs` in all is cut off.
 */
export async function stop(stopping: Stopping, patienceMs = PATIENCE_MS): Promise<void> {
  const { drain, drainSeconds, server, beside, end } = stopping
  const deadline = performance.now() + patienceMs
  drain.draining = true
  await pause(Math.min(drainSeconds * 1000, patienceMs))
  const cut = setTimeout(() => server.server.closeAllConnections(), deadline - performance.now())
  // A connection that was busy when the close began is kept alive by its reply, and would be waited for.
  const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_MS)
  const late = pause(deadline - performance.now(), undefined, { ref: false })
  await Promise.all([server.close(), Promise.race([beside(), late])])
  clearInterval(sweep)
  clearTimeout(cut)
  await end()
}
