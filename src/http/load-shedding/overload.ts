import { randomFill } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '#core/api-error.ts'
import type { AppContext } from '../app-context.ts'
import { RequestShares } from './fair-share.ts'
import type { RequestQueue } from './request-queue.ts'

const SAMPLE_MS = 100
/** Lag beyond which a process counts as overloaded: of the event loop, and of its thread pool. */
const MAX_LAG_MS = 200
const MAX_THREAD_POOL_LAG_MS = 500
/** One late sample may be a checkpoint or a garbage collection; this many in a row are overload. */
const OVERLOADED_SAMPLES = 2
/** The wait of writes for storage may be this many times the lag: a second. */
const WRITE_WAIT_DIVISOR = 5
/** The wait in the queue may be this many times the lag, because it delays no other work. */
const QUEUE_AGE_DIVISOR = 3
/** The lag to reach while requests are shed. */
const TARGET_LAG_MS = 120
const TARGET_THREAD_POOL_LAG_MS = 300
/** The share of requests that is admitted, and its changes from sample to sample. */
const RATE = {
  initial: 0.1,
  /** After overload that returns within RECURRENCE_SAMPLES. */
  recurring: 0.5,
  min: 0.02,
  decreaseFactor: 0.7,
  /** While the rate that causes overload is still unknown. */
  fastIncreaseFactor: 1.5,
  increaseFactor: 1.05,
  minIncrease: 0.01,
}
/** Overload that returns within this many samples is a steady excess of load and not a stall. */
const RECURRENCE_SAMPLES = 100

/**
 * Operators must be able to observe an overloaded process. Files of the web app are cheap, and a
 * page that fails to load one stays broken until it is reloaded.
 */
const EXEMPT_PATHS = /^\/((healthz|readyz|metrics)(\?|$)|app\/)/

export const isExemptFromShedding = (url: string): boolean => EXEMPT_PATHS.test(url)

/** Created once: capturing a stack trace would cost more than the rest of a refusal. */
export const OVERLOADED_ERROR = new ApiError(
  503,
  'unavailable',
  'Docket is overloaded. Try again in a few seconds.',
  {
    headers: { 'retry-after': '1' },
  },
)

/** Lag in one sample, in milliseconds. */
export interface LagSample {
  /** Of the event loop, or the age of the queue. */
  loop: number
  /** Of the thread pool, which compresses and hashes. */
  threads: number
}

/**
 * Adapts the share of requests that is admitted. It is 1 until several samples in a row are late;
 * then it falls while samples are late and rises while they are not. Once the backlog is gone it
 * rises fast until samples are late again, so that after a mere stall it is soon 1. To refuse all
 * requests until the backlog is gone and then admit all would not work: they would wait for
 * seconds, and be refused.
 */
export class AdmissionRate {
  #lateSamples = 0
  /** Number of samples since the rate last became 1. */
  #samplesAtFullRate = Number.POSITIVE_INFINITY
  #phase: 'catching-up' | 'fast-increase' | 'steady' = 'catching-up'
  /** The share that is admitted, from 0 to 1. */
  rate = 1

  sample({ loop, threads }: LagSample): void {
    if (this.rate < 1) {
      this.#adapt(loop > TARGET_LAG_MS || threads > TARGET_THREAD_POOL_LAG_MS)
      return
    }
    this.#samplesAtFullRate += 1
    const isLate = loop > MAX_LAG_MS || threads > MAX_THREAD_POOL_LAG_MS
    this.#lateSamples = isLate ? this.#lateSamples + 1 : 0
    if (this.#lateSamples < OVERLOADED_SAMPLES) return
    this.#lateSamples = 0
    const isRecurring = this.#samplesAtFullRate < RECURRENCE_SAMPLES
    this.#phase = isRecurring ? 'steady' : 'catching-up'
    this.rate = isRecurring ? RATE.recurring : RATE.initial
    this.#samplesAtFullRate = 0
  }

  #adapt(isLate: boolean): void {
    if (isLate) {
      if (this.#phase === 'fast-increase') this.#phase = 'steady'
      this.rate = Math.max(RATE.min, this.rate * RATE.decreaseFactor)
      return
    }
    if (this.#phase === 'catching-up') this.#phase = 'fast-increase'
    const factor = this.#phase === 'fast-increase' ? RATE.fastIncreaseFactor : RATE.increaseFactor
    this.rate = Math.min(1, Math.max(this.rate * factor, this.rate + RATE.minIncrease))
  }
}

/** Decides under overload which requests are admitted. */
export interface OverloadMonitor {
  /** Whether some requests are refused. */
  readonly isShedding: boolean
  /** Decides at random, by the present rate and the share of its workspace, whether to admit a request. */
  shouldAdmit(request: IncomingMessage): boolean
  /** Returns the error of a refused request that did not pass the load shedder, or undefined. */
  findRefusal(request: IncomingMessage): ApiError | undefined
  /** Counts a request that the load shedder refused at `now`, by `performance.now()`. */
  recordRefusal(now: number): void
  /** Number of requests refused since the overload began. */
  readonly refusedCount: number
}

/**
 * Measures the lag of the event loop, the queue and the thread pool while the server listens, and
 * how long writes wait for storage, for which only writes are refused. Requests are refused before
 * their body is read: a refusal is cheap, and admitted requests are served in time.
 */
export function createOverloadMonitor(
  server: FastifyInstance,
  queue: RequestQueue,
  context: AppContext,
): OverloadMonitor {
  const { log, storage, authenticator } = context
  const admission = new AdmissionRate()
  const writeAdmission = new AdmissionRate()
  const shares = new RequestShares()
  const threadPool = createThreadPoolProbe()
  let timer: NodeJS.Timeout | undefined
  let [startedAt, sampledAt, refused] = [0, 0, 0]

  function watch() {
    const due = performance.now() + SAMPLE_MS
    timer = setTimeout(() => {
      const now = performance.now()
      // While requests are queued, their age measures the lag better than the delay of this timer.
      sample(now, queue.length > 0 ? queue.getOldestAge() / QUEUE_AGE_DIVISOR : now - due)
      watch()
    }, SAMPLE_MS).unref()
  }

  function sample(now: number, loop: number) {
    sampledAt = now
    const wasShedding = monitor.isShedding
    admission.sample({ loop, threads: threadPool.measureLag() })
    const writeWaitMs = storage.stats().oldestWriteWaitMs
    writeAdmission.sample({ loop: writeWaitMs / WRITE_WAIT_DIVISOR, threads: 0 })
    shares.sample(admission.rate, writeAdmission.rate)
    if (!wasShedding && monitor.isShedding) logStart()
    if (wasShedding && !monitor.isShedding) logEnd()
  }

  /** Logged once, because a line for each refused request would add to the overload. */
  function logStart() {
    startedAt = performance.now()
    refused = 0
    log.warn('The server is overloaded: some requests are refused with 503')
  }

  function logEnd() {
    const ms = Math.round(performance.now() - startedAt)
    log.warn({ refused, ms }, 'The overload has ended: all requests are accepted again')
  }

  server.addHook('onListen', (done) => {
    if (context.shedsLoad) watch()
    done()
  })
  server.addHook('onClose', (_, done) => {
    clearTimeout(timer)
    done()
  })

  const monitor: OverloadMonitor = {
    get isShedding() {
      return admission.rate < 1 || writeAdmission.rate < 1
    },
    shouldAdmit(request) {
      if (!monitor.isShedding) return true
      const { authorization, cookie } = request.headers
      const workspace = authenticator.findRecentWorkspace(authorization, cookie)
      return shares.shouldAdmit(workspace, isRead(request))
    },
    findRefusal(request) {
      const isAdmitted = !monitor.isShedding || queue.queuedAt(request) !== undefined
      if (isAdmitted || isExemptFromShedding(request.url ?? '') || monitor.shouldAdmit(request))
        return undefined
      refused += 1
      return OVERLOADED_ERROR
    },
    recordRefusal(now) {
      refused += 1
      // Clients that retry at once can keep the timer from firing for seconds.
      if (context.shedsLoad && now - sampledAt > SAMPLE_MS)
        sample(now, queue.getOldestAge() / QUEUE_AGE_DIVISOR)
    },
    get refusedCount() {
      return refused
    },
  }
  return monitor
}

const isRead = ({ method }: IncomingMessage): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Measures how long new work waits for a thread by means of a tiny task, one at a time. */
function createThreadPoolProbe() {
  const bytes = Buffer.alloc(1)
  let startedAt = 0
  let waited: number | undefined = 0
  return {
    measureLag(): number {
      const now = performance.now()
      const lag = waited ?? now - startedAt
      if (waited !== undefined) {
        startedAt = now
        waited = undefined
        randomFill(bytes, () => {
          waited = performance.now() - startedAt
        })
      }
      return lag
    },
  }
}
