import { batchesOf } from '#lib/batches.ts'
import { CHANGES_PER_TURN, type PendingChange, splitByOperation } from './pending-change.ts'
import {
  type ChangeBatch,
  type ChangeCount,
  type ChangeListener,
  type IncomingChanges,
  type NumberedChange,
  ReplayBuffer,
} from './replay-buffer.ts'

/** How long changes are kept for a client that may reconnect. */
const RETENTION_MS = 120_000
/** The buffer of a workspace is cut back to this many changes once it has twice as many. */
const MAX_BUFFERED = 1_000
/** The limit for the buffers of all workspaces together. */
const MAX_BUFFERED_TOTAL = 50_000

/** Who numbers the changes: this process, or the database for all processes that share it. */
export interface ChangeNumbering {
  isShared: boolean
  /** Called when the first client of this process watches a workspace. */
  onFirstWatch?: (workspace_id: string) => void
}

/**
 * The changes of each workspace for the clients of this process, numbered in order of commit. They
 * are kept for a while, so that a client that lost its connection continues without a gap.
 * Workspaces without a watcher are skipped, so that they add no cost to writes.
 */
export class ChangeFeed {
  readonly #numbering: ChangeNumbering
  readonly #buffers = new Map<string, ReplayBuffer>()
  #bufferedTotal = 0
  #sweptAt = 0
  /** How often clients had to reload everything because changes were missed. */
  resets = 0
  /**
   * Whether this process receives messages of others; undefined if it has no connection for them.
   */
  isPeerBusConnected: boolean | undefined

  constructor(numbering: ChangeNumbering = { isShared: false }) {
    this.#numbering = numbering
  }

  /** Whether any workspace is watched, or was until a while ago. */
  get hasWatchers(): boolean {
    return this.#buffers.size > 0
  }

  /** Whether a workspace is watched in this process or in another one. */
  isWatched(workspace_id: string): boolean {
    return this.#buffers.has(workspace_id)
  }

  /** The ids of the workspaces that clients of this process watch. */
  listWatchedHere(): string[] {
    const ids: string[] = []
    for (const [id, { listeners }] of this.#buffers) if (listeners.size > 0) ids.push(id)
    return ids
  }

  /** Keeps changes for a client of another process, which may reconnect to this one. */
  retain(workspace_id: string): void {
    this.#bufferOf(workspace_id)
  }

  /**
   * The id of the newest change. Ask for it before reading records: a client that continues after
   * this id misses nothing. From then on changes are kept for a while. `loadCount` asks the
   * database for its count, if it numbers the changes.
   */
  async getNewestId(workspace_id: string, loadCount: () => Promise<number>): Promise<string> {
    const buffer = this.#watch(workspace_id)
    if (this.#numbering.isShared && buffer.listeners.size === 0) {
      const { seq } = buffer
      buffer.pendingCounts += 1
      const count = await loadCount().finally(() => {
        buffer.pendingCounts -= 1
      })
      this.#compare(buffer, { seq, count, isFinal: false })
    }
    return buffer.id
  }

  /** Compares the numbers delivered to clients of this process with the counts of the database. */
  async checkForGaps(
    loadCounts: (workspace_ids: readonly string[]) => Promise<ReadonlyMap<string, number>>,
    isSure: boolean,
  ): Promise<void> {
    const before = new Map<string, number>()
    for (const [id, { listeners, isKnown, seq }] of this.#buffers) {
      if (listeners.size > 0 && isKnown) before.set(id, seq)
    }
    if (before.size === 0) return
    for (const [id, count] of await loadCounts([...before.keys()])) {
      const [buffer, seq] = [this.#buffers.get(id), before.get(id)]
      if (buffer && seq !== undefined) this.#compare(buffer, { seq, count, isFinal: isSure })
    }
  }

  /**
   * Passes all further changes to a listener. `missed` has the changes since the id `after`, and is
   * undefined if some of them are no longer kept; without `after` it is empty.
   */
  subscribe(workspace_id: string, after: string | undefined, listener: ChangeListener) {
    const buffer = this.#watch(workspace_id)
    buffer.listeners.add(listener)
    const missed = after === undefined ? [] : buffer.changesAfter(after)
    const close = () => {
      buffer.listeners.delete(listener)
      buffer.expiresAt = performance.now() + RETENTION_MS
    }
    return { missed, id: buffer.id, close }
  }

  /** Publishes the changes of a committed transaction, which this process numbers. */
  publish(workspace_id: string, noted: readonly PendingChange[], actor_id: string | null): void {
    for (const part of splitByOperation(noted)) {
      this.#receive(workspace_id, { noted: part, actor_id })
    }
  }

  /** Publishes changes that the database has numbered. */
  publishNumbered(workspace_id: string, { first, made }: ChangeBatch): void {
    let next = first
    for (const part of batchesOf(made, CHANGES_PER_TURN)) {
      this.#receive(workspace_id, { first: next, made: part })
      next += part.length
    }
  }

  /**
   * Makes all clients reload: something unknown has changed, for example through another process.
   */
  reset(): void {
    for (const [workspace_id, buffer] of this.#buffers) {
      if (isExpired(buffer)) this.#buffers.delete(workspace_id)
      this.#restart(buffer, buffer.seq)
    }
  }

  #receive(workspace_id: string, incoming: IncomingChanges): void {
    const buffer = this.#buffers.get(workspace_id)
    if (!buffer) return
    if (isExpired(buffer)) {
      this.#forget(workspace_id, buffer)
      return
    }
    buffer.incoming.push(incoming)
    this.#deliverSoon(buffer)
  }

  /** Deferred: a commit is answered first, and an error here must not fail it. */
  #deliverSoon(buffer: ReplayBuffer): void {
    if (buffer.isDeliveryDue) return
    buffer.isDeliveryDue = true
    setImmediate(() => {
      buffer.isDeliveryDue = false
      this.#deliver(buffer)
    })
  }

  #deliver(buffer: ReplayBuffer): void {
    const changes = buffer.flush()
    if (changes.length > 0) {
      this.#keep(buffer, changes)
      for (const listener of buffer.listeners) listener.onChanges(changes)
    }
    const { lostUpTo } = buffer
    if (lostUpTo !== undefined) this.#restart(buffer, lostUpTo)
    if (buffer.hasMore) this.#deliverSoon(buffer)
  }

  #compare(buffer: ReplayBuffer, count: ChangeCount): void {
    if (buffer.hasGap(count)) this.#restart(buffer, count.count)
    this.#deliver(buffer)
  }

  #restart(buffer: ReplayBuffer, count: number): void {
    this.#bufferedTotal -= buffer.history.length
    buffer.restart(count)
    this.resets += buffer.listeners.size
    for (const listener of buffer.listeners) listener.onReset(buffer.id)
  }

  #watch(workspace_id: string): ReplayBuffer {
    if (!this.#buffers.has(workspace_id)) this.#numbering.onFirstWatch?.(workspace_id)
    return this.#bufferOf(workspace_id)
  }

  #bufferOf(workspace_id: string): ReplayBuffer {
    this.#sweep()
    let buffer = this.#buffers.get(workspace_id)
    if (!buffer) {
      buffer = new ReplayBuffer(this.#numbering.isShared)
      this.#buffers.set(workspace_id, buffer)
    }
    buffer.expiresAt = performance.now() + RETENTION_MS
    return buffer
  }

  #keep(buffer: ReplayBuffer, changes: readonly NumberedChange[]): void {
    // One by one: an operation can make more changes than a call takes arguments.
    for (const change of changes) buffer.history.push(change)
    this.#bufferedTotal += changes.length
    if (buffer.history.length > 2 * MAX_BUFFERED) {
      this.#bufferedTotal -= buffer.history.length - MAX_BUFFERED
      buffer.history = buffer.history.slice(-MAX_BUFFERED)
    }
    if (this.#bufferedTotal <= MAX_BUFFERED_TOTAL) return
    // Clients that reconnect to one of these workspaces reload everything.
    for (const other of this.#buffers.values()) other.history = []
    this.#bufferedTotal = 0
  }

  #sweep(): void {
    const now = performance.now()
    if (now < this.#sweptAt + RETENTION_MS) return
    this.#sweptAt = now
    for (const [workspace_id, buffer] of this.#buffers) {
      if (isExpired(buffer)) this.#forget(workspace_id, buffer)
    }
  }

  #forget(workspace_id: string, buffer: ReplayBuffer): void {
    this.#buffers.delete(workspace_id)
    this.#bufferedTotal -= buffer.history.length
  }
}

const isExpired = ({ listeners, expiresAt }: ReplayBuffer) =>
  listeners.size === 0 && performance.now() > expiresAt
