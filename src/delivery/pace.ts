import { performance } from 'node:perf_hooks'

/** How busy the process is with requests: being served now, and served so far. */
export interface Load {
  requests: number
  served: number
}

/** With so many requests at the same time, and so little of its time idle, some wait for others. */
const BUSY = 4
const FULL = 0.9
/** So often it looks, over the time since it looked last; and so long it counts as busy after that. */
const LOOK_MS = 50
const BUSY_MS = 500
/** Attempts that may begin for each request served, and each second in any case, while it is busy. */
const FOR_A_REQUEST = 0.08
const FOR_A_SECOND = 100
const MOST_SAVED = 50
/** While it is busy, of its time this part is left to others by work in the database. */
const RESTS = 16
/** Who was served less than so long ago may ask again at any moment. */
const ATTENDED_MS = 1_000

/**
 * Lets requests go first: while they crowd, deliveries get what is left of a share of the process. They
 * can wait; a person cannot. Without requests there is no limit.
 */
export class Pace {
  readonly #load: Load
  readonly #used: () => number
  #isBusy = false
  #attendedUntil = 0
  #seen = 0
  #busyUntil = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  #saved = 0
  #served = 0
  #at = 0

  /** `used` tells which part of its time the process was not idle, since it was asked last. */
  constructor(load: Load, used = partUsed()) {
    this.#load = load
    this.#used = used
  }

  get busy(): boolean {
    const now = performance.now()
    if (now - this.#lookedAt < LOOK_MS) return this.#isBusy
    this.#lookedAt = now
    const was = this.#isBusy
    if (this.#used() >= FULL && this.#load.requests >= BUSY) this.#busyUntil = now + BUSY_MS
    this.#isBusy = this.#busyUntil > now
    if (this.#isBusy && !was) {
      this.#saved = 0
      this.#served = this.#load.served
      this.#at = now
    }
    return this.#isBusy
  }

  /** Whether requests come at all: then nothing in the database may take long at a time. */
  get attended(): boolean {
    const now = performance.now()
    if (this.#load.served !== this.#seen) {
      this.#seen = this.#load.served
      this.#attendedUntil = now + ATTENDED_MS
    }
    return now < this.#attendedUntil
  }

  /** How many attempts may begin now. */
  get allowed(): number {
    if (!this.busy) return Number.POSITIVE_INFINITY
    const now = performance.now()
    const earned =
      (this.#load.served - this.#served) * FOR_A_REQUEST + ((now - this.#at) * FOR_A_SECOND) / 1000
    this.#saved = Math.min(MOST_SAVED, this.#saved + earned)
    this.#served = this.#load.served
    this.#at = now
    return Math.floor(this.#saved)
  }

  began(): void {
    this.#saved -= 1
  }

  /** Milliseconds to leave to others after so many of work in the database. */
  restAfter(usedMs: number): number {
    if (this.busy) return usedMs * RESTS
    return this.attended ? usedMs : 0
  }
}

function partUsed(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
