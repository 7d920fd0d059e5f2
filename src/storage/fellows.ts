import type { Made } from '#core/noted.ts'
import type { Notices } from '#core/notices.ts'
import { Channel } from './channel.ts'
import type { Written } from './outbox.ts'

/** What the processes on one database say to each other. */
type Message =
  | { say: 'notices'; workspace_id: string; first: number; made: readonly Made[] }
  | { say: 'events'; workspace_id: string; dispatcher_id: string | null }
  /** Somebody looks at these: what becomes of them is to be told, and kept. */
  | { say: 'watched'; workspace_ids: readonly string[] }
  /** Somebody has just come, and has heard nothing so far. */
  | { say: 'hello' }

/** What a storage lends for it. */
export interface Lent {
  notices: Notices
  /** How many notices of these workspaces the database counts. */
  countsOf(workspace_ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** A workspace has events to send, and this process is the one to send them. */
  woken(workspace_id: string): void
}

const LOOK_MS = 500
const RENEW_MS = 30_000
/** So long after it came it does not know at which workspaces others look, and tells of all. */
const NEW_MS = 1_000
/** So many notices, or ids, fit into one payload. */
const TOGETHER = 15
const IDS_TOGETHER = 200

/**
 * One of several processes that serve the same database: it hears of what the others have committed,
 * and tells them. What it did not hear, because a connection or a process has ended or there is no
 * `url` to hear by, it finds out by counting, and has everything read anew.
 */
export class Fellows {
  readonly #lent: Lent
  readonly #channel: Channel | undefined
  readonly #timers: NodeJS.Timeout[]
  #looking = false
  /** Of which dispatcher this process is. */
  dispatcher_id: string | undefined

  constructor(lent: Lent, url: string | undefined) {
    this.#lent = lent
    if (url !== undefined) {
      lent.notices.isLinked = false
      this.#channel = new Channel({
        url,
        heard: (message) => this.#heard(message as Message),
        opened: () => this.#opened(),
        closed: () => {
          lent.notices.isLinked = false
        },
      })
    }
    this.#timers = [
      setInterval(() => this.#look(false), LOOK_MS).unref(),
      setInterval(() => this.#renew(), RENEW_MS).unref(),
    ]
  }

  /** Somebody looks at a workspace here for the first time. */
  watched(workspace_id: string): void {
    this.#say({ say: 'watched', workspace_ids: [workspace_id] })
  }

  /** A transaction of this process was committed. */
  committed(workspace_id: string, { first, made, sending }: Written): void {
    const { notices } = this.#lent
    if (made.length > 0) notices.take(workspace_id, { first, made })
    const channel = this.#channel
    if (!channel) return
    if (notices.isWatched(workspace_id) || channel.age < NEW_MS) {
      for (let at = 0; at < made.length; at += TOGETHER) {
        const part = { first: first + at, made: made.slice(at, at + TOGETHER) }
        this.#say({ say: 'notices', workspace_id, ...part })
      }
    }
    if (!sending) return
    // What nobody sends for yet the dispatcher of this process takes over, if it has one.
    const holder = sending.dispatcher_id ?? this.dispatcher_id ?? null
    if (holder === null || holder !== this.dispatcher_id) {
      this.#say({ say: 'events', workspace_id, dispatcher_id: holder })
    }
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#channel?.close()
  }

  #say(message: Message): void {
    this.#channel?.say(message)
  }

  #heard(message: Message): void {
    const { notices, woken } = this.#lent
    if (message.say === 'notices') {
      const { workspace_id, first, made } = message
      notices.take(workspace_id, { first, made })
    } else if (message.say === 'events') {
      const { workspace_id, dispatcher_id } = message
      const isMine = dispatcher_id === null || dispatcher_id === this.dispatcher_id
      if (isMine && this.dispatcher_id !== undefined) woken(workspace_id)
    } else if (message.say === 'watched') {
      for (const id of message.workspace_ids) notices.keep(id)
    } else if (message.say === 'hello') this.#renew()
  }

  #opened(): void {
    this.#lent.notices.isLinked = true
    this.#say({ say: 'hello' })
    this.#renew()
    this.#look(true)
  }

  #renew(): void {
    const ids = this.#lent.notices.listenedTo()
    for (let at = 0; at < ids.length; at += IDS_TOGETHER) {
      this.#say({ say: 'watched', workspace_ids: ids.slice(at, at + IDS_TOGETHER) })
    }
  }

  /** What the database cannot tell now it is asked again. */
  async #look(isSure: boolean): Promise<void> {
    const { notices, countsOf } = this.#lent
    if (this.#looking && !isSure) return
    this.#looking = true
    await notices.check(countsOf, isSure).catch(() => {})
    this.#looking = false
  }
}
