import type { ChangeFeed } from '#core/changes/change-feed.ts'
import type { UnnumberedChange } from '#core/changes/pending-change.ts'
import { NotifyChannel } from './notify-channel.ts'
import type { OutboxResult } from './outbox.ts'

/** Messages between the processes on one database. */
type PeerMessage =
  | { say: 'notices'; workspace_id: string; first: number; made: readonly UnnumberedChange[] }
  | { say: 'events'; workspace_id: string; dispatcher_id: string | null }
  /** A client watches these workspaces: other processes announce and keep their changes. */
  | { say: 'watched'; workspace_ids: readonly string[] }
  /** A process has just connected and has received nothing so far. */
  | { say: 'hello' }

/** What the storage provides. */
export interface PeerBusDeps {
  notices: ChangeFeed
  /** The database's count of changes for each of these workspaces. */
  loadChangeCounts(workspace_ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Runs when a workspace has events that this process has to send. */
  onEventsToSend(workspace_id: string): void
}

const CHECK_INTERVAL_MS = 500
const RENEW_INTERVAL_MS = 30_000
/** For this long a new process does not know what others watch, so it announces all changes. */
const WARM_UP_MS = 1_000
/** How many changes, or ids, fit into one payload. */
const NOTICES_PER_MESSAGE = 15
const IDS_PER_MESSAGE = 200

/**
 * Exchanges committed changes with the other processes that serve the same database. A lost message
 * (a connection or a process has ended, or there is no `url` to listen on) is detected by comparing
 * counts with the database; clients then read everything again.
 */
export class PeerBus {
  readonly #deps: PeerBusDeps
  readonly #channel: NotifyChannel | undefined
  readonly #timers: NodeJS.Timeout[]
  #isChecking = false
  /** The id of this process's dispatcher; undefined without one. */
  dispatcher_id: string | undefined

  constructor(deps: PeerBusDeps, url: string | undefined) {
    this.#deps = deps
    if (url !== undefined) {
      deps.notices.isPeerBusConnected = false
      this.#channel = new NotifyChannel({
        url,
        onMessage: (message) => this.#receive(message as PeerMessage),
        onOpen: () => this.#start(),
        onClose: () => {
          deps.notices.isPeerBusConnected = false
        },
      })
    }
    this.#timers = [
      setInterval(() => this.#checkCounts(false), CHECK_INTERVAL_MS).unref(),
      setInterval(() => this.#announceWatchedWorkspaces(), RENEW_INTERVAL_MS).unref(),
    ]
  }

  /** Announces that a client of this process has begun to watch a workspace. */
  announceWatch(workspace_id: string): void {
    this.#send({ say: 'watched', workspace_ids: [workspace_id] })
  }

  /** Announces a committed transaction of this process. */
  announceCommit(workspace_id: string, { first, made, sending }: OutboxResult): void {
    const { notices } = this.#deps
    if (made.length > 0) notices.publishNumbered(workspace_id, { first, made })
    const channel = this.#channel
    if (!channel) return
    if (notices.isWatched(workspace_id) || channel.openMs < WARM_UP_MS) {
      for (let at = 0; at < made.length; at += NOTICES_PER_MESSAGE) {
        const batch = { first: first + at, made: made.slice(at, at + NOTICES_PER_MESSAGE) }
        this.#send({ say: 'notices', workspace_id, ...batch })
      }
    }
    if (!sending) return
    // A workspace without a dispatcher is taken over by the dispatcher of this process, if any.
    const holder = sending.dispatcher_id ?? this.dispatcher_id ?? null
    if (holder === null || holder !== this.dispatcher_id) {
      this.#send({ say: 'events', workspace_id, dispatcher_id: holder })
    }
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#channel?.close()
  }

  #send(message: PeerMessage): void {
    this.#channel?.send(message)
  }

  #receive(message: PeerMessage): void {
    const { notices, onEventsToSend } = this.#deps
    if (message.say === 'notices') {
      const { workspace_id, first, made } = message
      notices.publishNumbered(workspace_id, { first, made })
    } else if (message.say === 'events') {
      const { workspace_id, dispatcher_id } = message
      const isMine = dispatcher_id === null || dispatcher_id === this.dispatcher_id
      if (isMine && this.dispatcher_id !== undefined) onEventsToSend(workspace_id)
    } else if (message.say === 'watched') {
      for (const id of message.workspace_ids) notices.retain(id)
    } else if (message.say === 'hello') this.#announceWatchedWorkspaces()
  }

  #start(): void {
    this.#deps.notices.isPeerBusConnected = true
    this.#send({ say: 'hello' })
    this.#announceWatchedWorkspaces()
    this.#checkCounts(true)
  }

  #announceWatchedWorkspaces(): void {
    const ids = this.#deps.notices.listWatchedHere()
    for (let at = 0; at < ids.length; at += IDS_PER_MESSAGE) {
      this.#send({ say: 'watched', workspace_ids: ids.slice(at, at + IDS_PER_MESSAGE) })
    }
  }

  /** Compares counts with the database. Errors are ignored: the next check asks again. */
  async #checkCounts(isForced: boolean): Promise<void> {
    const { notices, loadChangeCounts } = this.#deps
    if (this.#isChecking && !isForced) return
    this.#isChecking = true
    await notices.checkForGaps(loadChangeCounts, isForced).catch(() => {})
    this.#isChecking = false
  }
}
