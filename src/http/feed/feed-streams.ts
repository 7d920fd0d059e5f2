import { setTimeout as pause } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { conflict, serviceUnavailable } from '#core/api-error.ts'
import type { CommitListeners } from '#core/changes/commit-listeners.ts'
import type { ChangeSignal } from './change-signal.ts'
import type { FeedStream } from './feed-stream.ts'

/** docs/spec/api.md#changes */
const MAX_STREAMS_PER_WORKSPACE = 100
/** Of the web app: one for each browser (without https, for each tab). */
const MAX_STREAMS_PER_PERSON = 10
/** Lost access must take effect within a second. */
const RIGHTS_INTERVAL_MS = 500
/** Lets the last bytes leave before the server closes the connections. */
const FLUSH_MS = 20

/** All streams of feeds of this process: limits them per workspace, and ends them. */
export class FeedStreams {
  readonly #open = new Set<FeedStream>()
  /** By workspace, or by person. */
  readonly #slots = new StreamSlots()
  /** Of requests that wait for something new. */
  readonly #waiting = new Set<ChangeSignal>()

  readonly #metrics: ReturnType<typeof registerMetrics>
  readonly #loadRights: () => Promise<unknown>
  #rights: unknown
  #timer: NodeJS.Timeout | undefined

  /** `loadRights` resolves to another value whenever somebody's rights may have changed. */
  constructor(
    registry: Registry,
    listeners: CommitListeners,
    loadRights: () => Promise<unknown> = async () => undefined,
  ) {
    this.#loadRights = loadRights
    this.#metrics = registerMetrics(registry, listeners, this.#open)
  }

  /** Watches the rights while somebody listens: once for all of them. */
  #watchRights(): void {
    this.#timer ??= setInterval(() => this.#checkRights(), RIGHTS_INTERVAL_MS).unref()
  }

  async #checkRights(): Promise<void> {
    if (this.#open.size + this.#waiting.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const before = this.#rights
    // While the database does not answer, nobody gets anything either.
    this.#rights = await this.#loadRights().catch(() => before)
    if (this.#rights === before) return
    for (const stream of this.#open) stream.revalidate()
    for (const signal of this.#waiting) signal.interrupt()
  }

  /** Takes a slot; the function that is returned releases it, and must be called once. */
  acquireSlot(workspace_id: string): () => void {
    return this.#slots.acquire(workspace_id, MAX_STREAMS_PER_WORKSPACE, () =>
      conflict(
        'limit_reached',
        `The workspace already has ${MAX_STREAMS_PER_WORKSPACE} streams of changes. Close one, or ask with \`wait\`.`,
      ),
    )
  }

  /** The same for the web app, so that open pages take no slots of programs. */
  acquirePersonSlot(user_id: string): () => void {
    return this.#slots.acquire(user_id, MAX_STREAMS_PER_PERSON, () =>
      conflict(
        'limit_reached',
        `You already have ${MAX_STREAMS_PER_PERSON} live connections. Close a browser tab.`,
      ),
    )
  }

  add(stream: FeedStream): void {
    this.#open.add(stream)
    this.#watchRights()
    stream.onClose(() => this.#open.delete(stream))
    stream.onHints = (count) => this.#metrics.hints.inc(count)
    // Its first page was read while the server began to stop.
    if (this.#slots.isClosed) stream.end()
  }

  /** Adds a request that waits; the function that is returned ends its wait, and must be called once. */
  addWaiting(signal: ChangeSignal): () => void {
    if (this.#slots.isClosed) signal.close()
    this.#waiting.add(signal)
    this.#watchRights()
    return () => {
      this.#waiting.delete(signal)
      signal.close()
    }
  }

  /** Ends all streams, whose clients then reconnect, and accepts no further ones. */
  async end(): Promise<void> {
    this.#slots.close()
    for (const signal of this.#waiting) signal.close()
    for (const stream of this.#open) stream.end()
    if (this.#open.size > 0) await pause(FLUSH_MS)
  }
}

function registerMetrics(
  registry: Registry,
  listeners: CommitListeners,
  open: ReadonlySet<FeedStream>,
) {
  const registers = [registry]
  new Gauge({
    name: 'docket_change_streams',
    help: 'Open streams of changes, of programs and of pages of the web app',
    registers,
    collect() {
      this.set(open.size)
    },
  })
  new Gauge({
    name: 'docket_live_streams',
    help: 'Open streams of changes of pages of the web app',
    registers,
    collect() {
      this.set([...open].filter(({ isOfPage }) => isOfPage).length)
    },
  })
  new Counter({
    name: 'docket_notices_resets_total',
    help: 'How often a stream or waiting request may have missed something: a page then reads again',
    registers,
    collect() {
      this.reset()
      this.inc(listeners.missed)
    },
  })
  if (listeners.isPeerBusConnected !== undefined) {
    new Gauge({
      name: 'docket_notices_linked',
      help: '1 while this process hears at once of what other processes write',
      aggregator: 'min',
      registers,
      collect() {
        this.set(listeners.isPeerBusConnected ? 1 : 0)
      },
    })
  }
  const hints = new Counter({
    name: 'docket_live_notices_total',
    help: 'Hints sent to pages about records that are not in the feed of changes',
    registers,
  })
  return { hints }
}

/** Limits the streams of a process by the person or the workspace that has them. */
class StreamSlots {
  /** By owner: the streams that are open or being opened. */
  readonly #counts = new Map<string | null, number>()
  #isClosed = false

  /** Whether the server is shutting down. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Gives no further slots. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * Takes a slot, before anything is awaited, so that streams which open at the same moment cannot
   * pass the limit together. The function that is returned releases it, and must be called once.
   * Throws if the owner has `max` streams, or if the server is shutting down.
   */
  acquire(owner: string | null, max: number, limitReached: () => Error): () => void {
    if (this.#isClosed)
      throw serviceUnavailable('Docket is restarting. Try again in a few seconds.')
    const count = this.#counts.get(owner) ?? 0
    if (count >= max) throw limitReached()
    this.#counts.set(owner, count + 1)
    return () => {
      const left = (this.#counts.get(owner) ?? 0) - 1
      if (left > 0) this.#counts.set(owner, left)
      else this.#counts.delete(owner)
    }
  }
}
