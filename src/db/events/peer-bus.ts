import type { CommitListeners, Hint } from '#core/commit-listeners.ts'
import { batchesOf } from '#lib/batches.ts'
import { NotifyChannel } from './notify-channel.ts'
import type { PendingSending } from './outbox.ts'

/**
 * Messages between the processes on one database. Two releases may run side by side: each ignores
 * what it does not know.
 */
type PeerMessage =
  /** A commit, or a part of its hints. Without hints it had too many of them. */
  | { say: 'commit'; workspace_id: string; hints?: readonly Hint[] }
  | { say: 'events'; workspace_id: string; dispatcher_id: string | null }
  /** Somebody listens to these workspaces: other processes announce their commits. */
  | { say: 'watched'; workspace_ids: readonly string[] }
  /** A process has just connected: it has received nothing so far, and its messages may be lost. */
  | { say: 'hello' }

/** What the storage provides. */
interface PeerBusDeps {
  listeners: CommitListeners
  /** The number of the newest change of each of these workspaces. */
  loadChangeNumbers(workspace_ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Sends a message once, over any connection, for a process that does not listen. */
  notify(message: object): void
  /** Runs when a workspace has events that this process has to send. */
  onEventsToSend(workspace_id: string): void
}

/** How often a process whose connection is missing looks for changes of others, and assumes missed hints. */
const POLL_INTERVAL_MS = 500
const ASSUME_MISSED_INTERVAL_MS = 10_000
const RENEW_INTERVAL_MS = 30_000
/** Other processes announce commits of a workspace until this long after the last `watched`. */
const WATCHED_TTL_MS = 2 * RENEW_INTERVAL_MS
/** For this long a new process does not know what others watch, so it announces all commits. */
const WARM_UP_MS = 1_000
/** How many hints, or ids, fit into one payload. */
const HINTS_PER_MESSAGE = 15
const IDS_PER_MESSAGE = 200
/** A commit with more hints is announced without them. */
const MAX_HINTS = 1_000

/**
 * Tells the other processes that serve the same database of commits, and hears of theirs. PostgreSQL
 * delivers messages in order, and loses none while both connections last. When one has ended, its
 * process says `hello` over the next one, and listeners then assume that they have missed something.
 */
export class PeerBus {
  readonly #deps: PeerBusDeps
  readonly #channel: NotifyChannel | undefined
  readonly #timers: NodeJS.Timeout[]
  /** When other processes no longer listen to a workspace, on the clock of `performance.now()`. */
  readonly #watchedUntil = new Map<string, number>()
  #polledNumbers: ReadonlyMap<string, number> = new Map()
  #isPolling = false
  #assumesMissedAt = 0
  /** The id of this process's dispatcher; undefined without one. */
  dispatcher_id: string | undefined

  constructor(deps: PeerBusDeps, url: string | undefined) {
    this.#deps = deps
    deps.listeners.onFirstListener = (id) => this.#send({ say: 'watched', workspace_ids: [id] })
    if (url !== undefined) {
      deps.listeners.isPeerBusConnected = false
      this.#channel = new NotifyChannel({
        url,
        onMessage: (message) => this.#receive(message as PeerMessage),
        onOpen: () => this.#start(),
        onClose: () => {
          deps.listeners.isPeerBusConnected = false
        },
      })
    }
    this.#timers = [
      setInterval(() => this.#poll(), POLL_INTERVAL_MS).unref(),
      setInterval(() => this.#announceWatchedWorkspaces(), RENEW_INTERVAL_MS).unref(),
    ]
  }

  /** Announces a commit of this process to those who listen, in this and other processes. */
  announceCommit(workspace_id: string, hints: readonly Hint[]): void {
    this.#deps.listeners.publish(workspace_id, hints)
    if (this.#channel && !this.#isWatchedElsewhere(workspace_id)) return
    for (const message of toMessages(workspace_id, hints)) {
      if (this.#channel) this.#channel.send(message)
      else this.#deps.notify(message)
    }
  }

  /** Wakes the process that has to send the events of a commit. */
  announceEvents(workspace_id: string, { dispatcher_id }: PendingSending): void {
    // A workspace without a dispatcher is taken over by the dispatcher of this process, if any.
    const holder = dispatcher_id ?? this.dispatcher_id ?? null
    if (holder === null || holder !== this.dispatcher_id)
      this.#send({ say: 'events', workspace_id, dispatcher_id: holder })
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#channel?.close()
  }

  #isWatchedElsewhere(workspace_id: string): boolean {
    if ((this.#channel?.openMs ?? 0) < WARM_UP_MS) return true
    return (this.#watchedUntil.get(workspace_id) ?? 0) > performance.now()
  }

  #send(message: PeerMessage): void {
    this.#channel?.send(message)
  }

  #receive(message: PeerMessage): void {
    const { listeners, onEventsToSend } = this.#deps
    if (message.say === 'commit') {
      const { workspace_id, hints } = message
      if (hints) listeners.publish(workspace_id, hints)
      else listeners.publishMissed([workspace_id])
    } else if (message.say === 'events') {
      const { workspace_id, dispatcher_id } = message
      const isMine = dispatcher_id === null || dispatcher_id === this.dispatcher_id
      if (isMine && this.dispatcher_id !== undefined) onEventsToSend(workspace_id)
    } else if (message.say === 'watched') this.#keepWatched(message.workspace_ids)
    else if (message.say === 'hello') {
      this.#announceWatchedWorkspaces()
      listeners.publishMissed()
    }
  }

  #keepWatched(workspace_ids: readonly string[]): void {
    const now = performance.now()
    for (const [id, until] of this.#watchedUntil) if (until < now) this.#watchedUntil.delete(id)
    for (const id of workspace_ids) this.#watchedUntil.set(id, now + WATCHED_TTL_MS)
  }

  #start(): void {
    const { listeners } = this.#deps
    listeners.isPeerBusConnected = true
    this.#send({ say: 'hello' })
    this.#announceWatchedWorkspaces()
    listeners.publishMissed()
  }

  #announceWatchedWorkspaces(): void {
    const ids = this.#deps.listeners.workspaceIds
    for (let at = 0; at < ids.length; at += IDS_PER_MESSAGE) {
      this.#send({ say: 'watched', workspace_ids: ids.slice(at, at + IDS_PER_MESSAGE) })
    }
  }

  /** While the connection is missing, finds what others have changed by the numbers of the database. */
  async #poll(): Promise<void> {
    const { listeners, loadChangeNumbers } = this.#deps
    const ids = listeners.workspaceIds
    if (!this.#channel || this.#channel.isOpen || this.#isPolling || ids.length === 0) return
    if (performance.now() > this.#assumesMissedAt) {
      this.#assumesMissedAt = performance.now() + ASSUME_MISSED_INTERVAL_MS
      listeners.publishMissed()
    }
    this.#isPolling = true
    // After an error the next poll asks again.
    const numbers = await loadChangeNumbers(ids).catch(() => this.#polledNumbers)
    this.#isPolling = false
    for (const [id, number] of numbers)
      if (this.#polledNumbers.get(id) !== number) listeners.publish(id, [])
    this.#polledNumbers = numbers
  }
}

function toMessages(workspace_id: string, hints: readonly Hint[]): PeerMessage[] {
  if (hints.length > MAX_HINTS) return [{ say: 'commit', workspace_id }]
  if (hints.length === 0) return [{ say: 'commit', workspace_id, hints }]
  const parts = [...batchesOf(hints, HINTS_PER_MESSAGE)]
  return parts.map((part) => ({ say: 'commit', workspace_id, hints: part }))
}
