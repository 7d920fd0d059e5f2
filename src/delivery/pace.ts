/** How busy the process is with requests: being served now, and served so far. */
export interface Load {
  requests: number
  served: number
}

/** With so many requests at the same time, some wait for others. */
const BUSY = 4
/** For so long after that it counts as busy still. */
const BUSY_MS = 100
/** Attempts that may begin for each request served, and each second in any case, while it is busy. */
const FOR_A_REQUEST = 0.25
const FOR_A_SECOND = 100
const MOST_SAVED = 50
/** While it is busy, of its time this part is left to others by work in the database. */
const RESTS = 6

/**
 * Lets requests go first: while they crowd, deliveries get what is left of a share of the process. They
 * can wait; a person cannot. Without requests there is no limit.
 */
export class Pace {
  readonly #load: Load
  #busyUntil = 0
  #saved = 0
  #served = 0
  #at = 0

  constructor(load: Load) {
    this.#load = load
  }

  get busy(): boolean {
    const now = performance.now()
    if (this.#load.requests >= BUSY) {
      if (this.#busyUntil < now) this.#begin(now)
      this.#busyUntil = now + BUSY_MS
    }
    return this.#busyUntil >= now
  }

  #begin(now: number): void {
    this.#saved = 0
    this.#served = this.#load.served
    this.#at = now
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
    return this.busy ? usedMs * RESTS : 0
  }
}
