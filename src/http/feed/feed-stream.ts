import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { UserActor } from '#core/actor.ts'
import { ApiError, insufficientRole } from '#core/api-error.ts'
import type { FeedPage } from '#core/route.ts'
import type { ChangeSignal } from './change-signal.ts'
import type { HintBuffer } from './hint-buffer.ts'
import { isStuck, type OpenFeed, STUCK_RETRY_MS } from './open-feed.ts'
import { canResume } from './revalidate-actor.ts'

const PAGE_SIZE = 100
/** How long a feed is left alone that could not be read. */
const RETRY_MS = 500
/** How often the feed is read without a signal, which a change may lack or lose. */
const READ_INTERVAL_MS = 5_000
const HEARTBEAT_INTERVAL_MS = 15_000

export interface FeedStreamDeps {
  /** How long changes are collected after a read that had some, because each read costs the same. */
  collectMs: number
  signal: ChangeSignal
  /** What the feed of a page lacks. */
  hints?: HintBuffer | undefined
  /** Sends a text, and resolves when the client has taken it or has left. */
  send: (text: string) => Promise<void>
  authenticate: () => UserActor | Promise<UserActor>
  /** The text of an error for the client. */
  describeError: (error: ApiError) => string
  /** Logs an unexpected error and closes the connection; the client reconnects. */
  onError: (error: unknown) => void
}

/**
 * Sends a feed to one client as server-sent events, from its position on for as long as the client
 * listens and its rights are the same (docs/spec/api.md#changes).
 */
export class FeedStream {
  readonly #raw: ServerResponse
  readonly #actor: UserActor
  readonly #feed: OpenFeed
  readonly #deps: FeedStreamDeps
  #position: unknown
  #isCaughtUp = false
  #heartbeatAt = performance.now() + HEARTBEAT_INTERVAL_MS
  /** When the feed is read without a signal. */
  #readAt = performance.now() + READ_INTERVAL_MS
  onHints: (count: number) => void = () => {}

  constructor(raw: ServerResponse, actor: UserActor, feed: OpenFeed, deps: FeedStreamDeps) {
    this.#raw = raw
    this.#actor = actor
    this.#feed = feed
    this.#deps = deps
    // A client that disconnects is not an error.
    raw.on('error', () => {})
  }

  /** Whether a page of the web app reads it. */
  get isOfPage(): boolean {
    return this.#deps.hints !== undefined
  }

  onClose(listener: () => void): void {
    this.#raw.once('close', listener)
  }

  /** Sends a page that was read already, and then whatever follows it. */
  async run(first: FeedPage): Promise<void> {
    try {
      await this.#sendPage(first)
      await this.#follow()
    } catch (error) {
      if (this.#isOver) return
      if (!(error instanceof ApiError) || error.status >= 500) this.#deps.onError(error)
      else this.#raw.end(`event: end\ndata: ${this.#deps.describeError(error)}\n\n`)
    } finally {
      this.#deps.signal.close()
    }
  }

  /** Ends the stream because the server stops; the client reconnects in a moment. */
  end(): void {
    this.#raw.end(`retry: ${1_000 + Math.floor(Math.random() * 2_000)}\n\n`)
    this.#deps.signal.close()
  }

  get #isOver(): boolean {
    return this.#raw.destroyed || this.#raw.writableEnded
  }

  /** Until the feed is read without a signal, or the credential expires. */
  get #waitMs(): number {
    const { expires_at } = this.#actor
    const left = expires_at === null ? READ_INTERVAL_MS : Date.parse(expires_at) - Date.now()
    return Math.max(0, Math.min(READ_INTERVAL_MS, left))
  }

  /** Checks at once whether its client still has its rights. */
  revalidate(): void {
    this.#deps.signal.interrupt()
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      if (this.#isCaughtUp && (await this.#deps.signal.wait(this.#waitMs))) this.#readAt = 0
      if (this.#isOver) return
      try {
        await this.#sendNews()
      } catch (error) {
        if (!(error instanceof ApiError) || error.status < 500) throw error
        // The storage does not answer. Hints that were to be sent are lost.
        this.#deps.hints?.addMissed()
        this.#readAt = 0
        await pause(RETRY_MS)
      }
    }
  }

  async #sendNews(): Promise<void> {
    await this.#revalidate()
    const now = performance.now()
    if (now >= this.#heartbeatAt) {
      this.#heartbeatAt = now + HEARTBEAT_INTERVAL_MS
      // Scripts in a browser do not see comments.
      await this.#deps.send(this.isOfPage ? 'event: heartbeat\ndata: {}\n\n' : ': still here\n\n')
    }
    await this.#sendHints()
    if (this.#isCaughtUp && now < this.#readAt) return
    await this.#readOn()
    this.#readAt = performance.now() + READ_INTERVAL_MS
  }

  /** Hints have no id: a client that connects again resumes after the last change. */
  async #sendHints(): Promise<void> {
    const { loadVisibleProjects = async () => [] } = this.#feed
    const hints = (await this.#deps.hints?.take(this.#actor, loadVisibleProjects)) ?? []
    if (hints.length === 0) return
    this.onHints(hints.length)
    await this.#deps.send(hints.map((hint) => `event: stale\ndata: ${hint}\n\n`).join(''))
  }

  async #readOn(): Promise<void> {
    const page = await this.#feed.read(this.#position, PAGE_SIZE)
    const isRepeated = isStuck(this.#feed, this.#position, page)
    await this.#sendPage(page)
    if (isRepeated) await pause(STUCK_RETRY_MS)
    // With a fast client neither reads nor writes would let another request have its turn.
    else if (page.has_more) await nextTurn()
    else if (page.entries.length > 0) await pause(this.#deps.collectMs)
  }

  async #revalidate(): Promise<void> {
    const actor = await this.#deps.authenticate()
    if (canResume(this.#actor, actor) && actor.role === this.#actor.role) return
    throw insufficientRole('Your rights have changed. Connect again to go on with the new ones.')
  }

  async #sendPage({ entries, position, has_more }: FeedPage): Promise<void> {
    const wasCaughtUp = this.#isCaughtUp && entries.length === 0
    this.#position = position
    this.#isCaughtUp = !has_more
    const events = entries.map(
      (entry) =>
        `event: change\nid: ${this.#feed.toToken(entry.position)}\ndata: ${entry.json}\n\n`,
    )
    if (!has_more && !wasCaughtUp) {
      const token = this.#feed.toToken(position)
      events.push(
        `event: caught_up\nid: ${token}\ndata: ${JSON.stringify({ position: token })}\n\n`,
      )
    }
    if (events.length > 0) await this.#deps.send(events.join(''))
  }
}
