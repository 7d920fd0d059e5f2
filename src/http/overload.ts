import { randomFill } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#core/refusal.ts'
import type { House } from './house.ts'
import type { Queue } from './waiting.ts'

const SAMPLE_MS = 100
/** Later than this is too much work: of the event loop, and of the threads that compress and hash. */
const LATE_MS = 200
const THREADS_LATE_MS = 500
/** One late turn may be a checkpoint or the collector; this many in a row are too much work. */
const IN_A_ROW = 2
/** Who waits in the queue may be so many times as late: what else is due is not held up by it. */
const PATIENT = 3
/** What is aimed at while requests are shed. */
const AIM_MS = 120
const THREADS_AIM_MS = 300
/** The share of requests that is let in: at first, at least, and how it shrinks and grows a sample. */
const SHARE = {
  first: 0.1,
  again: 0.5,
  least: 0.02,
  shrinks: 0.7,
  leaps: 1.5,
  grows: 1.05,
  growsBy: 0.01,
}
/** Too much again within so many samples is no stall: there is a little more than can be done. */
const SOON = 100

/**
 * Those who run Docket must see it also when it is overloaded. The web app's files cost nothing, and a
 * page that misses one of them is broken until it is loaded again.
 */
const EXEMPT = /^\/((healthz|readyz|metrics)(\?|$)|app\/)/

export const isExempt = (url: string): boolean => EXEMPT.test(url)

/** Made once: a trace of the stack for each would cost more than all the rest of a refusal. */
export const SHED = new Refusal(
  503,
  'unavailable',
  'Docket has more to do than it can. Try again soon.',
  {
    headers: { 'retry-after': '1' },
  },
)

/** How late a server ran in a sample, in milliseconds. */
export interface Lateness {
  loop: number
  threads: number
}

/**
 * Which share of the requests is let in. All, until it runs too late again and again; then a part, less as
 * long as it runs late, and more when it does not, until it is all again. When it has caught up the share
 * grows by leaps until it is found how much is too much: after a stall that is soon all. Were all refused
 * until it had caught up, and then all let in, those would wait for seconds, and be refused again.
 */
export class Share {
  #late = 0
  /** For how many samples all have been let in. */
  #well = Number.POSITIVE_INFINITY
  /** Catching up, then growing by leaps, then about right. */
  #stage: 'behind' | 'leaping' | 'steady' = 'behind'
  of = 1

  sample({ loop, threads }: Lateness): void {
    if (this.of < 1) {
      this.#adapt(loop > AIM_MS || threads > THREADS_AIM_MS)
      return
    }
    this.#well += 1
    this.#late = loop > LATE_MS || threads > THREADS_LATE_MS ? this.#late + 1 : 0
    if (this.#late < IN_A_ROW) return
    this.#late = 0
    const again = this.#well < SOON
    this.#stage = again ? 'steady' : 'behind'
    this.of = again ? SHARE.again : SHARE.first
    this.#well = 0
  }

  #adapt(isLate: boolean): void {
    const { least, shrinks, leaps, grows, growsBy } = SHARE
    if (isLate) {
      if (this.#stage === 'leaping') this.#stage = 'steady'
      this.of = Math.max(least, this.of * shrinks)
      return
    }
    if (this.#stage === 'behind') this.#stage = 'leaping'
    const more = this.#stage === 'leaping' ? this.of * leaps : this.of * grows
    this.of = Math.min(1, Math.max(more, this.of + growsBy))
  }
}

/** What decides, while there is too much to do, who is let in. */
export interface Overload {
  /** The share that is let in: 1 is all. */
  readonly share: number
  /** Whether the request that just came is let in. */
  admits(): boolean
  /** What refuses one that came another way than by the gate, from another process of this machine. */
  late(request: IncomingMessage): Refusal | undefined
  /** Counts one that is refused at the gate, at an instant of `performance.now()`. */
  refuse(now: number): void
  /** How many were refused since some are. */
  readonly refused: number
}

/**
 * Watches how late the event loop, its queue and the threads run while the server listens. A request is
 * refused before its body is read, so that a refusal costs little and what is accepted is answered in time.
 */
export function overload(
  server: FastifyInstance,
  queue: Queue,
  { log, sheds }: Pick<House, 'log' | 'sheds'>,
): Overload {
  const share = new Share()
  const threads = threadsWatched()
  let timer: NodeJS.Timeout | undefined
  let [since, sampledAt, refused] = [0, 0, 0]

  function watch() {
    const due = performance.now() + SAMPLE_MS
    timer = setTimeout(() => {
      const now = performance.now()
      // While requests wait in the queue it is they who tell how late it is.
      sample(now, queue.length > 0 ? queue.age() / PATIENT : now - due)
      watch()
    }, SAMPLE_MS).unref()
  }

  function sample(now: number, loop: number) {
    sampledAt = now
    const before = share.of
    share.sample({ loop, threads: threads.late() })
    if (before === 1 && share.of < 1) began()
    if (before < 1 && share.of === 1) ended()
  }

  /** A line for each that is refused would be more of what is too much already. */
  function began() {
    since = performance.now()
    refused = 0
    log.warn('There is more to do than Docket can: a part of the requests is refused with 503')
  }

  function ended() {
    const ms = Math.round(performance.now() - since)
    log.warn({ refused, ms }, 'All requests are let in again')
  }

  server.addHook('onListen', (done) => {
    if (sheds) watch()
    done()
  })
  server.addHook('onClose', (_, done) => {
    clearTimeout(timer)
    done()
  })

  const shedding: Overload = {
    get share() {
      return share.of
    },
    admits: () => share.of === 1 || Math.random() < share.of,
    late(request) {
      const isLetIn = share.of === 1 || queue.since(request) !== undefined
      if (isLetIn || isExempt(request.url ?? '') || shedding.admits()) return undefined
      refused += 1
      return SHED
    },
    refuse(now) {
      refused += 1
      // Those who come again at once may keep the timer from its turn for seconds.
      if (sheds && now - sampledAt > SAMPLE_MS) sample(now, queue.age() / PATIENT)
    },
    get refused() {
      return refused
    },
  }
  return shedding
}

/** How long the newest work waits for a thread: a little of it, one at a time, finds out. */
function threadsWatched() {
  const bytes = Buffer.alloc(1)
  let sent = 0
  let waited: number | undefined = 0
  return {
    late(): number {
      const now = performance.now()
      const late = waited ?? now - sent
      if (waited !== undefined) {
        sent = now
        waited = undefined
        randomFill(bytes, () => {
          waited = performance.now() - sent
        })
      }
      return late
    },
  }
}
