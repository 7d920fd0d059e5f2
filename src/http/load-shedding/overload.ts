import { randomFill } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../app-context.ts'
import { Admission, SAMPLE_INTERVAL_MS } from './admission.ts'

/** How long requests may wait for each of these; the lag is the wait relative to it. */
const MAX_WAIT_MS = { eventLoop: 200, queue: 300, threadPool: 500, writes: 1_000 }

/**
 * Operators must be able to observe an overloaded process. Files of the web app are cheap, and a
 * page that fails to load one stays broken until it is reloaded.
 */
const EXEMPT_PATHS = /^\/((healthz|readyz|metrics)(\?|$)|app\/)/

export const isExemptFromShedding = (url: string): boolean => EXEMPT_PATHS.test(url)

/** Decides under overload which requests are admitted. */
export interface OverloadMonitor {
  /** Whether some requests are refused. */
  readonly isShedding: boolean
  shouldAdmit(request: IncomingMessage): boolean
  /** Counts a request refused at `now`, by `performance.now()`; returns how many have been. */
  recordRefusal(now: number): number
}

/**
 * Samples what delays requests while the server listens, and takes the worst of it as their lag.
 * Only writes wait for storage, so they have a rate of their own: a slow disk stops no reads.
 */
export function createOverloadMonitor(
  server: FastifyInstance,
  { log, shedsLoad, storage, authenticator }: AppContext,
  queue: { readonly oldestAge: number },
): OverloadMonitor {
  const [reads, writes] = [new Admission(), new Admission()]
  const measureThreadPoolWait = createThreadPoolProbe()
  let timer: NodeJS.Timeout | undefined
  let [startedAt, sampledAt, refused] = [0, 0, 0]

  function sample(now: number) {
    const delay = now - sampledAt - SAMPLE_INTERVAL_MS
    sampledAt = now
    const wasShedding = monitor.isShedding
    const lag = Math.max(
      delay / MAX_WAIT_MS.eventLoop,
      queue.oldestAge / MAX_WAIT_MS.queue,
      measureThreadPoolWait(now) / MAX_WAIT_MS.threadPool,
    )
    reads.sample(lag)
    writes.sample(Math.max(lag, storage.stats().oldestWriteWaitMs / MAX_WAIT_MS.writes))
    if (monitor.isShedding !== wasShedding) logChange(now)
  }

  /** Logged once, because a line for each refused request would add to the overload. */
  function logChange(now: number) {
    if (monitor.isShedding) {
      startedAt = now
      log.warn('The server is overloaded: some requests are refused with 503')
      return
    }
    const ms = Math.round(now - startedAt)
    log.warn({ refused, ms }, 'The overload has ended: all requests are accepted again')
    refused = 0
  }

  server.addHook('onListen', (done) => {
    sampledAt = performance.now()
    if (shedsLoad) timer = setInterval(() => sample(performance.now()), SAMPLE_INTERVAL_MS).unref()
    done()
  })
  server.addHook('onClose', (_, done) => {
    clearInterval(timer)
    done()
  })

  const monitor: OverloadMonitor = {
    get isShedding() {
      return reads.rate < 1 || writes.rate < 1
    },
    shouldAdmit({ method = '', headers: { authorization, cookie } }) {
      if (!monitor.isShedding) return true
      const admission = READ_METHODS.includes(method) ? reads : writes
      return admission.shouldAdmit(authenticator.findRecentWorkspace(authorization, cookie))
    },
    recordRefusal(now) {
      refused += 1
      // Clients that retry at once can keep the timer from firing for seconds.
      if (shedsLoad && now - sampledAt > 2 * SAMPLE_INTERVAL_MS) sample(now)
      return refused
    },
  }
  return monitor
}

const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Measures how long new work waits for a thread by means of a tiny task, one at a time. */
function createThreadPoolProbe() {
  const bytes = Buffer.alloc(1)
  let startedAt: number | undefined
  let lastWait = 0
  return (now: number): number => {
    if (startedAt !== undefined) return now - startedAt
    startedAt = now
    randomFill(bytes, () => {
      lastWait = performance.now() - now
      startedAt = undefined
    })
    return lastWait
  }
}
