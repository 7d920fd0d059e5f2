import type { IncomingMessage } from 'node:http'

/**
 * Time for serving the queue in one turn of the event loop; then new requests are accepted or
 * refused.
 */
const MAX_TURN_MS = 30
const MAX_REQUESTS_PER_TURN = 32

/** Admitted requests that are not served yet, the oldest first. */
export class RequestQueue {
  readonly #requests: { since: number; serve: () => void }[] = []
  readonly #queuedAt = new WeakMap<IncomingMessage, number>()
  #turnEndsAt = 0
  #isScheduled = false

  get length(): number {
    return this.#requests.length
  }

  /**
   * Queues a request for a later turn; returns false if `maxLength` requests are queued already.
   */
  enqueue(maxLength: number, request: IncomingMessage, serve: () => void): boolean {
    if (this.#requests.length >= maxLength) return false
    const since = performance.now()
    this.#queuedAt.set(request, since)
    this.#requests.push({ since, serve })
    if (!this.#isScheduled) this.#scheduleTurn()
    return true
  }

  /** Returns when a request was queued, by `performance.now()`; undefined if it never was. */
  queuedAt(request: IncomingMessage): number | undefined {
    return this.#queuedAt.get(request)
  }

  /** Returns how long the oldest request has waited, in milliseconds. */
  getOldestAge(): number {
    const oldest = this.#requests[0]
    return oldest ? performance.now() - oldest.since : 0
  }

  serveOldest(): void {
    this.#requests.shift()?.serve()
  }

  /**
   * Callbacks of `setImmediate` run in the next turn, and the promises of each settle in between.
   */
  readonly #scheduleTurn = (): void => {
    this.#isScheduled = this.#requests.length > 0
    if (!this.#isScheduled) return
    this.#turnEndsAt = Number.POSITIVE_INFINITY
    const count = Math.min(MAX_REQUESTS_PER_TURN, this.#requests.length)
    for (let n = 0; n < count; n += 1) setImmediate(this.#serveNext)
    setImmediate(this.#scheduleTurn)
  }

  readonly #serveNext = (): void => {
    const now = performance.now()
    this.#turnEndsAt = Math.min(this.#turnEndsAt, now + MAX_TURN_MS)
    if (now < this.#turnEndsAt) this.serveOldest()
  }
}
