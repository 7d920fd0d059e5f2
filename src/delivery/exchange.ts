import type { Dispatcher } from 'undici'
import type { Failure } from '#wire/events.ts'
import { Unreached } from './connect.ts'
import { BLOCKED, failureOf, KEPT, type Reception, textOf } from './reception.ts'

/** As much of a reply is read (contract 8.5). */
const MOST_READ = 65_536
/** Replies such as 103 before the one that counts: more of them only keep a processor busy. */
const MOST_INTERIM = 20

/** How many milliseconds an exchange may take until a connection is there, and in all. */
export interface Patience {
  connectMs: number
  timeoutMs: number
}

/**
 * One request and what comes back, until the reply ends, or breaks off, or is too long, or takes too
 * long. Once there is a status it decides: a body that drips or breaks off does not make a failure of
 * a success. Settles exactly once.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #patience: Patience
  readonly #settle: (reception: Reception) => void
  readonly #begun = performance.now()
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #over = false
  /** What it is when it takes too long. */
  #late: Failure = 'dns_failed'
  #status: number | null = null
  #retryAfter: string | null = null
  #interim = 0
  #read = 0
  #kept: Buffer[] = []

  constructor(patience: Patience, settle: (reception: Reception) => void) {
    this.#patience = patience
    this.#settle = settle
    this.#timer = setTimeout(this.#tooLong, patience.connectMs)
  }

  /** Whether it is settled; nothing is to be sent any more then. */
  get over(): boolean {
    return this.#over
  }

  /** The addresses of the host are there: what takes time from now on is not their lookup. */
  resolved(): void {
    this.#late = 'timeout'
  }

  /** Ends it, with this failure if there is no status. */
  end(failure: Failure): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#settle(failure === 'blocked_address' ? BLOCKED : this.#reception(failure))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) controller.abort(new Error('The time for this request is over'))
    else this.#controller = controller
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#interim += 1
      if (this.#interim > MOST_INTERIM) controller.abort(new Error('Too many interim replies'))
      return
    }
    this.#status = status
    this.#retryAfter = [headers['retry-after']].flat()[0] ?? null
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    // A copy, because a slice would hold on to all that was received with it.
    if (this.#read < KEPT) this.#kept.push(Buffer.from(chunk.subarray(0, KEPT - this.#read)))
    this.#read += chunk.length
    if (this.#read > MOST_READ) this.#cut('connection_failed')
  }

  onResponseEnd(): void {
    this.end('connection_failed')
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.end(error instanceof Unreached ? error.failure : 'connection_failed')
  }

  /** The time to connect is over, or all of it. */
  readonly #tooLong = () => {
    const left = this.#begun + this.#patience.timeoutMs - performance.now()
    if (this.#controller && left > 0) this.#timer = setTimeout(this.#tooLong, left)
    else this.#cut(this.#late)
  }

  #reception(failure: Failure): Reception {
    const status = this.#status
    return {
      status,
      body: status === null ? null : textOf(Buffer.concat(this.#kept)),
      error: status === null ? failure : failureOf(status),
      duration_ms: Math.round(performance.now() - this.#begun),
      retry_after: this.#retryAfter,
    }
  }

  #cut(failure: Failure): void {
    this.end(failure)
    this.#controller?.abort(new Error('No more is read'))
  }
}
