import type { IncomingMessage } from 'node:http'

/** So long a turn of the event loop serves them; then it looks for what has come, and refuses of it what is too much. */
const TURN_MS = 30
/** More are not begun in a turn, however little they ask. */
const MOST_A_TURN = 32

/** Requests that were let in and not yet begun, the oldest first. */
export class Queue {
  readonly #waiting: { since: number; serve: () => void }[] = []
  readonly #since = new WeakMap<IncomingMessage, number>()
  #until = 0
  #isPlanned = false

  get length(): number {
    return this.#waiting.length
  }

  /** Takes a request that is served in a later turn; false where more than `room` would wait. */
  put(room: number, request: IncomingMessage, serve: () => void): boolean {
    if (this.#waiting.length >= room) return false
    const since = performance.now()
    this.#since.set(request, since)
    this.#waiting.push({ since, serve })
    if (!this.#isPlanned) this.#plan()
    return true
  }

  /** When a request came that has waited, as `performance.now()` tells it. */
  since(request: IncomingMessage): number | undefined {
    return this.#since.get(request)
  }

  /** How many milliseconds the oldest has waited so far. */
  age(): number {
    const oldest = this.#waiting[0]
    return oldest ? performance.now() - oldest.since : 0
  }

  /** Begins with the one that has waited longest, if any does. */
  serveOldest(): void {
    this.#waiting.shift()?.serve()
  }

  /** What is planned in one turn is done in the next; between two of them each goes on as far as it can. */
  readonly #plan = (): void => {
    this.#isPlanned = this.#waiting.length > 0
    if (!this.#isPlanned) return
    this.#until = Number.POSITIVE_INFINITY
    const many = Math.min(MOST_A_TURN, this.#waiting.length)
    for (let n = 0; n < many; n += 1) setImmediate(this.#serveNext)
    setImmediate(this.#plan)
  }

  readonly #serveNext = (): void => {
    const now = performance.now()
    this.#until = Math.min(this.#until, now + TURN_MS)
    if (now < this.#until) this.serveOldest()
  }
}
