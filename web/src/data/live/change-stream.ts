import type { listNumberedChanges } from '#resources/changes/contract.ts'
import type { StaleHint } from '#wire/stale-hint.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { loadBoot } from '../session/boot.ts'
import { sessionMismatch } from '../session/current-session.ts'
import { isBetweenChanges } from './feed-position.ts'
import type { FeedChange, LiveMessage, LiveState } from './live-message.ts'

/** The server sends a heartbeat every 15 s; after this silence the connection counts as dead. */
const SILENCE_LIMIT_MS = 60_000
/** The timers of a machine do not count the time for which it sleeps, its clock does. */
const SILENCE_CHECK_INTERVAL_MS = 5_000
/** Delay before reconnecting after an error reply, at which an EventSource itself gives up. */
const RECONNECT_DELAY_MS = 2_000
/** With more missed changes than this, it is less work to read again what is on the screen. */
const MAX_MISSED_CHANGES = 1_000
/** A burst of changes is told in parts of at least so many. */
const MIN_BATCH = 100

/**
 * The stream of the tab that listens for all tabs: the feed of changes, and hints about what the feed lacks.
 * From a known position on it misses no change, however long it was closed. If the server no longer
 * knows the position, it begins anew. Hints are not repeated, so whatever they are about is read again after
 * each connecting.
 */
export class ChangeStream {
  readonly #broadcast: (message: LiveMessage) => void
  readonly #stops: (() => void)[]
  #position: string | undefined
  #source: EventSource | undefined
  #batch: FeedChange[] = []
  /** How many changes came since the stream was opened and before it had caught up. */
  #missed = 0
  #isCaughtUp = false
  #state: LiveState = 'connecting'
  #heardAt = Date.now()
  #retryTimer: ReturnType<typeof setTimeout> | undefined

  /** Connects to the server, and again after each interruption, until it is closed. */
  constructor(position: string | undefined, broadcast: (message: LiveMessage) => void) {
    this.#position = position
    this.#broadcast = broadcast
    const connect = () => this.#connect()
    // A connection from before an outage may lead nowhere without an error.
    const reconnect = () => this.#reconnect()
    addEventListener('online', reconnect)
    const silenceTimer = setInterval(() => this.#checkSilence(), SILENCE_CHECK_INTERVAL_MS)
    this.#stops = [
      sessionMismatch.subscribe(connect),
      hasSessionEnded.subscribe(connect),
      () => removeEventListener('online', reconnect),
      () => clearInterval(silenceTimer),
    ]
    connect()
  }

  /** Broadcasts the state, as an answer to a ping. */
  broadcastState(): void {
    this.#broadcast({ state: this.#state, position: this.#position })
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.#disconnect()
  }

  #connect(): void {
    this.#disconnect()
    // Events of another session do not belong on this page, and without a session there are none.
    if (sessionMismatch.get() || hasSessionEnded.get()) {
      this.#setState('paused')
      return
    }
    this.#heardAt = Date.now()
    const after = encodeURIComponent(this.#position ?? 'now')
    const source = new EventSource(`/internal/changes?after=${after}`)
    this.#source = source
    source.onopen = () => {
      this.#heardAt = Date.now()
      this.#broadcast({ hint: {} })
      this.#setState('live')
    }
    source.onerror = () => this.#handleError(source)
    this.#listen(source, 'change', (data, position) =>
      this.#take(JSON.parse(data) as FeedChange, position),
    )
    this.#listen(source, 'caught_up', (_, position) => {
      this.#isCaughtUp = true
      this.#flush(position)
    })
    this.#listen(source, 'stale', (data) =>
      this.#broadcast({ hint: JSON.parse(data) as StaleHint }),
    )
    this.#listen(source, 'heartbeat', () => undefined)
    // The rights of the person have changed, or its session has ended.
    this.#listen(source, 'end', () => this.#retryLater())
  }

  #listen(source: EventSource, event: string, take: (data: string, id: string) => void): void {
    source.addEventListener(event, ({ data, lastEventId }: MessageEvent<string>) => {
      this.#heardAt = Date.now()
      take(data, lastEventId)
    })
  }

  #disconnect(): void {
    clearTimeout(this.#retryTimer)
    this.#retryTimer = undefined
    this.#source?.close()
    this.#source = undefined
    this.#batch = []
    this.#missed = 0
    this.#isCaughtUp = false
  }

  #setState(state: LiveState): void {
    this.#state = state
    this.broadcastState()
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
    const changes = this.#batch
    this.#batch = []
    const previous = this.#position
    this.#position = position
    this.#broadcast({ changes, position, previous })
  }

  /** Begins at the present position: what has changed before is unknown. */
  #restart(): void {
    this.#position = undefined
    this.#connect()
    this.#broadcast({ reset: true })
  }

  #handleError(source: EventSource): void {
    this.#missed = 0
    this.#isCaughtUp = false
    // Otherwise the browser connects again by itself, after the last event.
    if (source.readyState === EventSource.CLOSED) this.#retryLater()
    else this.#setState('paused')
  }

  /** Connects anew after a silence, or if the clock was set back, since when one would not be noticed. */
  #checkSilence(): void {
    if (this.#source && Math.abs(Date.now() - this.#heardAt) > SILENCE_LIMIT_MS) this.#reconnect()
  }

  #reconnect(): void {
    this.#setState('paused')
    this.#connect()
  }

  #retryLater(): void {
    this.#disconnect()
    this.#setState('paused')
    const delay = RECONNECT_DELAY_MS * (1 + Math.random())
    const timer = setTimeout(() => this.#retry(timer), delay)
    this.#retryTimer = timer
  }

  /**
   * An EventSource does not tell why it was refused. The session may have ended or changed, which loading
   * the boot data handles; and the same is asked for without streaming.
   */
  async #retry(timer: ReturnType<typeof setTimeout>): Promise<void> {
    await loadBoot().catch(() => undefined)
    const query = { after: this.#position ?? 'now', limit: 1 }
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
    else if (error === undefined) this.#connect()
    else this.#retryLater()
  }
}
