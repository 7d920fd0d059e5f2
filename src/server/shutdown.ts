import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** The steps of a shutdown in their order. */
export interface ShutdownSteps {
  drain: { draining: boolean }
  /** Seconds in which it still accepts connections, so that a load balancer can remove it. */
  drainSeconds: number
  server: FastifyInstance
  /** Stops background work. It runs during the requests' deadline, not after it. */
  stopBackgroundWork: () => Promise<void>
  /** Rolls back a write that does not end in time, because closing the resources writes too. */
  abortLongWrites: () => void
  /** Closes what requests and background work need, the storage last. */
  closeResources: () => Promise<void>
}

/** Supervisors kill a process that has not stopped after half a minute. */
const SHUTDOWN_TIMEOUT_MS = 25_000
const IDLE_SWEEP_INTERVAL_MS = 50

/**
 * Stops a server without failing requests: first `/readyz` fails while connections are still
 * accepted, then no new connection is accepted and running requests finish. Everything that takes
 * longer than `timeoutMs` in total is aborted.
 */
export async function shutDown(
  steps: ShutdownSteps,
  timeoutMs = SHUTDOWN_TIMEOUT_MS,
): Promise<void> {
  const { drain, drainSeconds, server, stopBackgroundWork, abortLongWrites, closeResources } = steps
  const deadline = performance.now() + timeoutMs
  drain.draining = true
  await pause(Math.min(drainSeconds * 1000, timeoutMs))
  const abortTimer = setTimeout(() => {
    server.server.closeAllConnections()
    abortLongWrites()
  }, deadline - performance.now())
  // A connection that was busy at the start of the close stays open after its reply, and blocks the
  // close.
  const sweepTimer = setInterval(() => server.server.closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS)
  const timeout = pause(deadline - performance.now(), undefined, { ref: false })
  await Promise.all([server.close(), Promise.race([stopBackgroundWork(), timeout])])
  clearInterval(sweepTimer)
  await closeResources()
  clearTimeout(abortTimer)
}
