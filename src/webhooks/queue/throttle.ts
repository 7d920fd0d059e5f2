import { performance } from 'node:perf_hooks'

/** The load of HTTP requests on the process: being served now, and served so far. */
export interface RequestLoad {
  requests: number
  served: number
}

/** With this many concurrent requests at this utilization, some requests wait for others. */
const BUSY_REQUESTS = 4
const BUSY_UTILIZATION = 0.9
/** Utilization is sampled over this interval; the process counts as busy for a while after. */
const SAMPLE_INTERVAL_MS = 50
const BUSY_HOLD_MS = 500
/** Attempts allowed for each request served, and each second anyway, while it is busy. */
const ATTEMPTS_PER_REQUEST = 0.08
const ATTEMPTS_PER_SECOND = 100
const MAX_SAVED_ATTEMPTS = 50
/** While it is busy, work in the database is followed by a rest this many times as long. */
const REST_FACTOR = 16
/** How long after a request another one is expected. */
const SERVING_HOLD_MS = 1_000

/**
 * Gives requests priority: while the process is busy with them, deliveries are limited to a share
 * of its time. Deliveries can wait; a person cannot. Without requests there is no limit.
 */
export class Throttle {
  readonly #load: RequestLoad
  readonly #utilization: () => number
  #isBusy = false
  #servingUntil = 0
  #lastServed = 0
  #busyUntil = 0
  #sampledAt = Number.NEGATIVE_INFINITY
  #savedAttempts = 0
  #creditedServed = 0
  #creditedAt = 0

  /**
   * `utilization` returns the fraction of time that the event loop was busy since its last call.
   */
  constructor(load: RequestLoad, utilization = createUtilizationMeter()) {
    this.#load = load
    this.#utilization = utilization
  }

  get isBusy(): boolean {
    const now = performance.now()
    if (now - this.#sampledAt < SAMPLE_INTERVAL_MS) return this.#isBusy
    this.#sampledAt = now
    const wasBusy = this.#isBusy
    if (this.#utilization() >= BUSY_UTILIZATION && this.#load.requests >= BUSY_REQUESTS)
      this.#busyUntil = now + BUSY_HOLD_MS
    this.#isBusy = this.#busyUntil > now
    if (this.#isBusy && !wasBusy) {
      this.#savedAttempts = 0
      this.#creditedServed = this.#load.served
      this.#creditedAt = now
    }
    return this.#isBusy
  }

  /** Whether requests are arriving: then no single step in the database may take long. */
  get isServingRequests(): boolean {
    const now = performance.now()
    if (this.#load.served !== this.#lastServed) {
      this.#lastServed = this.#load.served
      this.#servingUntil = now + SERVING_HOLD_MS
    }
    return now < this.#servingUntil
  }

  /** How many attempts may start now. */
  get availableAttempts(): number {
    if (!this.isBusy) return Number.POSITIVE_INFINITY
    const now = performance.now()
    const earned =
      (this.#load.served - this.#creditedServed) * ATTEMPTS_PER_REQUEST +
      ((now - this.#creditedAt) * ATTEMPTS_PER_SECOND) / 1000
    this.#savedAttempts = Math.min(MAX_SAVED_ATTEMPTS, this.#savedAttempts + earned)
    this.#creditedServed = this.#load.served
    this.#creditedAt = now
    return Math.floor(this.#savedAttempts)
  }

  recordAttempt(): void {
    this.#savedAttempts -= 1
  }

  /** Milliseconds to rest after work in the database that took `usedMs`. */
  restAfterMs(usedMs: number): number {
    if (this.isBusy) return usedMs * REST_FACTOR
    return this.isServingRequests ? usedMs : 0
  }
}

function createUtilizationMeter(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
