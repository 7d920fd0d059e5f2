import { randomFill } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../app-context.ts'

/** How often the lag is sampled, and with it the rate changes. */
export const SAMPLE_INTERVAL_MS = 100
/** Some requests are always admitted, to notice that the overload has ended. */
const MIN_RATE = 0.01
/** More lag changes nothing: at e^-3 of the rate nearly all is refused. */
const MAX_LAG = 3
/** What lag beyond 1 or below it changes the rate by in each sample. */
const CHANGE_BY_LAG = 0.1
/** How much of its count a workspace keeps from one sample to the next. */
const DECAY = 0.9
const MIN_COUNT = 0.05
/** Requests whose workspace is unknown: without a credential, or with one not used lately. */
const UNKNOWN = ''

/**
 * Admits as large a share of the requests as keeps the lag at 1, and divides what is admitted among
 * the workspaces (max-min fairness): those that ask for less than an equal share get all of it, and
 * the others share the rest equally. All requests of unknown workspaces together count as one, so
 * that nobody gets more by making up credentials.
 */
export class Admission {
  readonly #random: () => number
  #isLate = false
  /** Of the last sample, and 1 before the first one that counts. */
  #lag = 1
  /** Recent requests by workspace, admitted or not. */
  readonly #recent = new Map<string, number>()
  /** How many recent requests of a workspace are admitted; infinite while there are none. */
  #share = Number.POSITIVE_INFINITY
  /** The share of all requests that is admitted, from 0 to 1. */
  rate = 1

  /** `random` returns numbers from 0 (inclusive) to 1 (exclusive). */
  constructor(random: () => number = () => Math.random()) {
    this.#random = random
  }

  /**
   * Ends a sample in which requests lagged by `lag` times the maximum. The rate falls at once with
   * e^-lag and rises again with it, so that lag that varies by chance changes nothing for long. Beyond
   * that it falls slowly while the lag is above 1, and rises while it is below: by this alone, it would
   * fall until the backlog is gone, rise until there is another one, and so on.
   */
  sample(lag: number): void {
    const wasLate = this.#isLate
    this.#isLate = lag > 1
    // One late sample may be a checkpoint or a garbage collection; two in a row are overload.
    if (this.rate === 1 && !(this.#isLate && wasLate)) return
    const bounded = Math.min(lag, MAX_LAG)
    const change = CHANGE_BY_LAG * (1 - bounded) + this.#lag - bounded
    this.rate = Math.min(Math.max(this.rate * Math.exp(change), MIN_RATE), 1)
    this.#lag = this.rate === 1 ? 1 : bounded
    this.#divide()
  }

  #divide(): void {
    if (this.rate === 1) this.#recent.clear()
    for (const [workspace, count] of this.#recent) {
      if (count * DECAY < MIN_COUNT) this.#recent.delete(workspace)
      else this.#recent.set(workspace, count * DECAY)
    }
    this.#share = equalShareOf([...this.#recent.values()], this.rate)
  }

  /** Decides at random whether to admit a request; undefined stands for unknown workspaces. */
  shouldAdmit(workspace = UNKNOWN): boolean {
    if (this.rate === 1) return true
    const count = (this.#recent.get(workspace) ?? 0) + 1
    this.#recent.set(workspace, count)
    const chance = this.#share === Number.POSITIVE_INFINITY ? this.rate : this.#share / count
    return this.#random() < chance
  }
}

/**
 * Returns how much each may have of `rate` times all that is asked for, so that all of it is used.
 */
function equalShareOf(counts: readonly number[], rate: number): number {
  let left = rate * counts.reduce((sum, count) => sum + count, 0)
  for (const [index, count] of counts.toSorted((a, b) => a - b).entries()) {
    const share = left / (counts.length - index)
    if (count >= share) return share
    left -= count
  }
  return Number.POSITIVE_INFINITY
}

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

interface OverloadContext extends Pick<AppContext, 'log' | 'shedsLoad' | 'storage' | 'isStarting'> {
  authenticator: Pick<AppContext['authenticator'], 'findRecentWorkspace'>
}

/**
 * Samples what delays requests while the server listens, and takes the worst of it as their lag.
 * Only writes wait for storage, so they have a rate of their own: a slow disk stops no reads.
 */
export function createOverloadMonitor(
  server: FastifyInstance,
  context: OverloadContext,
  queue: { readonly oldestAge: number },
): OverloadMonitor {
  const { log, shedsLoad, storage, authenticator } = context
  const [reads, writes] = [new Admission(), new Admission()]
  const measureThreadPoolWait = createThreadPoolProbe()
  let timer: NodeJS.Timeout | undefined
  let [startedAt, sampledAt, refused] = [0, 0, 0]

  function sample(now: number) {
    const delay = now - sampledAt - SAMPLE_INTERVAL_MS
    sampledAt = now
    // The rest of the start delays requests, and not their number.
    if (context.isStarting) return
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
