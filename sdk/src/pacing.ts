import { onAbort } from './abort.ts'
import { readRetryAfter } from './errors.ts'

/** How many requests the server still admits in this minute, as its last replies say. */
interface Budget {
  left: number
  /** When the minute ends, as the server says it, in Unix seconds: tells one minute from another. */
  resetsAt: number
  /** When the minute ends, by the local clock, in milliseconds. */
  endsAt: number
}

interface WaitingRequest {
  start: () => void
}

/** At most this much is added to the end of a minute, so that programs do not all return at once. */
const MAX_JITTER_MS = 500

/**
 * The queue of all requests of a client: it starts them in order, as many at a time as are allowed, and
 * none while the budget of the minute is used up. So a program is slow at the limit, and not refused.
 */
export class Pacing {
  readonly #concurrency: number
  readonly #queue: WaitingRequest[] = []
  #running = 0
  #budget: Budget | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** Waits for the turn of a request. Rejects with the reason of the signal if that is aborted. */
  start(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const waiting: WaitingRequest = { start: resolve }
      const ignoreAbort = onAbort(signal, () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1)
        // The timer of a queue that is empty now would keep the process for up to a minute.
        this.#startNext()
        reject(signal?.reason)
      })
      waiting.start = () => {
        ignoreAbort()
        resolve()
      }
      this.#queue.push(waiting)
      this.#startNext()
    })
  }

  /** Ends a turn. */
  end(): void {
    this.#running -= 1
    this.#startNext()
  }

  /** Reads from a reply how many requests are left. */
  readLimit({ status, headers }: Response): void {
    const now = Date.now()
    const seconds = (name: string) => Number(headers.get(name) ?? Number.NaN)
    const resetsAt = seconds('x-ratelimit-reset')
    const retryAfterMs = readRetryAfter(headers)
    if (status === 429 && retryAfterMs !== undefined) {
      const jitter = Math.random() * MAX_JITTER_MS
      const endsAt = now + retryAfterMs + jitter
      this.#budget = { left: 0, resetsAt: resetsAt || 0, endsAt }
      return
    }
    const left = seconds('x-ratelimit-remaining')
    // By the clock of the server, which browsers do not show to pages of another origin.
    const date = Date.parse(headers.get('date') ?? '')
    const endsIn = resetsAt * 1000 - (Number.isNaN(date) ? now : date)
    const current = this.#budget
    if (!(left >= 0 && endsIn >= 0) || (current && resetsAt < current.resetsAt)) return
    // Replies may overtake each other: within a minute the lowest count is the latest.
    const lowest = current?.resetsAt === resetsAt ? Math.min(current.left, left) : left
    const jitter = lowest === 0 ? Math.random() * MAX_JITTER_MS : 0
    this.#budget = { left: lowest, resetsAt, endsAt: now + endsIn + jitter }
  }

  #startNext() {
    clearTimeout(this.#timer)
    const now = Date.now()
    if (this.#budget && this.#budget.endsAt <= now) this.#budget = undefined
    while (this.#queue.length > 0 && this.#running < this.#concurrency) {
      if (this.#budget && this.#budget.left <= this.#running) {
        this.#timer = setTimeout(() => this.#startNext(), this.#budget.endsAt - now)
        return
      }
      this.#running += 1
      this.#queue.shift()?.start()
    }
  }
}
