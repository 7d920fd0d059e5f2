import { randomFill } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#core/refusal.ts'

const SAMPLE_MS = 100
/** Later than this is too much work: of the event loop, and of the threads that compress and hash. */
const LATE_MS = 200
const THREADS_LATE_MS = 500
/** One late turn may be a checkpoint or the collector; this many in a row are too much work. */
const IN_A_ROW = 2
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

/** Made once: a trace of the stack for each would cost more than all the rest of a refusal. */
const SHED = new Refusal(503, 'unavailable', 'Docket has more to do than it can. Try again soon.', {
  headers: { 'retry-after': '1' },
})

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

/**
 * Watches how late the event loop and the threads run while the server listens. Gives what refuses a
 * request when there is too much to do: before a body is read, so that a refusal costs little and what is
 * accepted is answered in time.
 */
export function overload(server: FastifyInstance) {
  const share = new Share()
  const threads = threadsWatched()
  let timer: NodeJS.Timeout | undefined

  function watch() {
    const due = performance.now() + SAMPLE_MS
    timer = setTimeout(() => {
      share.sample({ loop: performance.now() - due, threads: threads.late() })
      watch()
    }, SAMPLE_MS).unref()
  }

  server.addHook('onListen', (done) => {
    watch()
    done()
  })
  server.addHook('onClose', (_, done) => {
    clearTimeout(timer)
    done()
  })

  return (url: string): Refusal | undefined =>
    share.of === 1 || Math.random() < share.of || EXEMPT.test(url) ? undefined : SHED
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
