import type { listNumberedChanges } from '#resources/changes/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { isBetweenChanges } from './feed-position.ts'
import type { FeedChange } from './live-message.ts'

/** A stream that tells nothing about a noticed change for so long counts as dead. */
const FOLLOW_UP_MS = 5_000
const RETRY_DELAY_MS = 2_000
/** With more missed changes than this, it is less work to read again what is on the screen. */
const MAX_MISSED_CHANGES = 1_000
/** A burst of changes is told in parts of at least so many. */
const MIN_BATCH = 100

/** The callbacks of a stream of changes. */
interface ChangeStreamListener {
  /** `previous` is the position before these changes, if there was one. */
  onChanges(changes: readonly FeedChange[], position: string, previous: string | undefined): void
  /** The stream began anew: what has changed before is unknown. */
  onRestart(): void
}

/**
 * Follows the feed of changes by server-sent events. From a known position on it misses nothing,
 * however long it was closed. If the server no longer knows the position, it begins anew.
 */
export class ChangeStream {
  readonly #listener: ChangeStreamListener
  #position: string | undefined
  #source: EventSource | undefined
  #batch: FeedChange[] = []
  /** How many changes came since the stream was opened and before it had caught up. */
  #missed = 0
  #isCaughtUp = false
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #followUpTimer: ReturnType<typeof setTimeout> | undefined

  constructor(position: string | undefined, listener: ChangeStreamListener) {
    this.#position = position
    this.#listener = listener
  }

  get position(): string | undefined {
    return this.#position
  }

  /** Expects the stream to tell about a change that was noticed, and opens it again if it does not. */
  expectChange(): void {
    this.#followUpTimer ??= setTimeout(() => this.open(), FOLLOW_UP_MS)
  }

  open(): void {
    this.close()
    this.#missed = 0
    this.#isCaughtUp = false
    const after = encodeURIComponent(this.#position ?? 'now')
    const source = new EventSource(`/internal/changes?after=${after}`)
    this.#source = source
    source.addEventListener('change', ({ data, lastEventId }) =>
      this.#take(JSON.parse(data) as FeedChange, lastEventId),
    )
    source.addEventListener('caught_up', ({ lastEventId }) => {
      this.#isCaughtUp = true
      this.#flush(lastEventId)
    })
    // The rights of the person have changed, or its session has ended.
    source.addEventListener('end', () => this.#retryLater())
    source.onerror = () => {
      this.#missed = 0
      this.#isCaughtUp = false
      // Otherwise the browser connects again by itself, after the last event.
      if (source.readyState === EventSource.CLOSED) this.#retryLater()
    }
  }

  close(): void {
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#followUpTimer)
    this.#retryTimer = undefined
    this.#followUpTimer = undefined
    this.#source?.close()
    this.#source = undefined
    this.#batch = []
  }

  #take(change: FeedChange, position: string): void {
    if (!this.#isCaughtUp) this.#missed += 1
    // The project and its tasks would follow one by one: a screen needs few of them.
    if (change.op === 'reset' || this.#missed > MAX_MISSED_CHANGES) {
      this.#restart()
      return
    }
    this.#batch.push(change)
    if (this.#batch.length >= MIN_BATCH && isBetweenChanges(position)) this.#flush(position)
  }

  #flush(position: string): void {
    clearTimeout(this.#followUpTimer)
    this.#followUpTimer = undefined
    const changes = this.#batch
    this.#batch = []
    const previous = this.#position
    this.#position = position
    this.#listener.onChanges(changes, position, previous)
  }

  /** Begins at the present position. */
  #restart(): void {
    this.#position = undefined
    this.open()
    this.#listener.onRestart()
  }

  #retryLater(): void {
    this.close()
    this.#retryTimer = setTimeout(() => this.#retry(), RETRY_DELAY_MS * (1 + Math.random()))
  }

  /** An EventSource does not tell why it was refused, so the same is asked for without streaming. */
  async #retry(): Promise<void> {
    const query = { after: this.#position ?? 'now', limit: 1 }
    const timer = this.#retryTimer
    const error = await requestEndpoint<typeof listNumberedChanges>('GET /internal/changes', {
      query,
    }).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (timer !== this.#retryTimer) return
    // The position is too old, or of other rights or another database.
    const isRefused = error instanceof ApiResponseError && [400, 410].includes(error.status)
    if (isRefused && this.#position !== undefined) this.#restart()
    else if (error === undefined) this.open()
    else this.#retryLater()
  }
}
