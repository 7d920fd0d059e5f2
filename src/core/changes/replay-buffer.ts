import { randomBytes } from 'node:crypto'
import type { RecordChange } from '#wire/record-change.ts'
import {
  CHANGES_PER_TURN,
  type PendingChange,
  toChanges,
  type UnnumberedChange,
} from './pending-change.ts'

/** A change with its number, as it is sent to clients. */
export interface NumberedChange {
  /** `<epoch>.<seq>`: a client continues after this id. */
  id: string
  notice: Omit<RecordChange, 'seq'>
  /**
   * The user who sees it beside owners and admins, or `''` for nobody else; undefined: everybody.
   */
  only_for: string | undefined
  /** The JSON of the change with its number. */
  text: string
}

/** A client that watches a workspace. */
export interface ChangeListener {
  /** Receives the changes of one or more commits, in order. */
  onChanges(changes: readonly NumberedChange[]): void
  /** Changes were missed: the client must reload everything and continues after `id`. */
  onReset(id: string): void
}

/**
 * Consecutive changes and the number of the first. Processes send them to each other as JSON, also
 * while two releases run side by side: do not rename the keys.
 */
export interface ChangeBatch {
  first: number
  made: readonly UnnumberedChange[]
}

/** The changes of a commit: numbered by the database, or still without numbers. */
export type IncomingChanges =
  | ChangeBatch
  | { noted: readonly PendingChange[]; actor_id: string | null }

/** The count of the database; `seq` is the last number delivered when it was asked. */
export interface ChangeCount {
  seq: number
  count: number
  /** True if missing changes cannot arrive any more, because this process was not listening. */
  isFinal: boolean
}

/** The epoch of numbers from the database, which all processes share. */
const SHARED_EPOCH = 'all'
/** A change that was counted this long ago and has not arrived is lost. */
const ARRIVAL_TIMEOUT_MS = 400

/**
 * If more batches than this wait for an earlier one, it is lost. Where nobody watches, nothing else
 * finds that out.
 */
const MAX_EARLY_BATCHES = 1_000

/**
 * The newest changes of a workspace. Either this process numbers them, or the database: then
 * batches of several processes arrive in any order and are delivered in the order of their numbers.
 */
export class ReplayBuffer {
  readonly listeners = new Set<ChangeListener>()
  /** Received and not yet sorted. */
  readonly incoming: IncomingChanges[] = []
  /** Whether the next delivery is scheduled. */
  isDeliveryDue = false
  /** The latest delivered changes, without a gap. */
  history: NumberedChange[] = []
  /** When a buffer without listeners is dropped, on the clock of `performance.now()`. */
  expiresAt = 0
  /** Requests for the count under way; until one is answered, batches wait. */
  pendingCounts = 0
  readonly #isShared: boolean
  #epoch: string
  /** The number of the last delivered change; undefined until it is known. */
  #seq: number | undefined
  /** Batches that wait for earlier ones, by their first number. */
  readonly #earlyBatches = new Map<number, ChangeBatch>()
  #counted = 0
  /** Whether changes have arrived that the last turn had no time for. */
  #isBehind = false
  /** The number that must have been delivered `ARRIVAL_TIMEOUT_MS` after `#dueAt`. */
  #due = 0
  #dueAt = Number.NEGATIVE_INFINITY

  constructor(isShared: boolean) {
    this.#isShared = isShared
    this.#epoch = isShared ? SHARED_EPOCH : newEpoch()
    this.#seq = isShared ? undefined : 0
  }

  get isKnown(): boolean {
    return this.#seq !== undefined
  }

  get seq(): number {
    return this.#seq ?? 0
  }

  get id(): string {
    return `${this.#epoch}.${this.seq}`
  }

  /** Takes the changes that can be delivered in this turn, in order. */
  flush(): NumberedChange[] {
    const changes: NumberedChange[] = []
    while (changes.length < CHANGES_PER_TURN) {
      const incoming = this.incoming.shift()
      if (!incoming) break
      this.#sort(incoming)
      this.#appendReady(changes)
    }
    this.#appendReady(changes)
    this.#isBehind = this.hasMore
    return changes
  }

  /** Whether the last `flush` has left changes for another turn. */
  get hasMore(): boolean {
    const isNextHere = this.#seq !== undefined && this.#earlyBatches.has(this.#seq + 1)
    return this.incoming.length > 0 || isNextHere
  }

  /** The number up to which changes are lost, if too many wait for them: then call `restart` with it. */
  get lostUpTo(): number | undefined {
    if (this.#earlyBatches.size <= MAX_EARLY_BATCHES || this.hasMore) return undefined
    return Math.min(...this.#earlyBatches.keys()) - 1
  }

  /** True if the count of the database shows that changes were missed: then call `restart`. */
  hasGap({ seq, count, isFinal }: ChangeCount): boolean {
    this.#counted = count
    if (this.#seq === undefined) {
      this.#continueFrom(count)
      return false
    }
    // What has arrived and is not delivered yet is not lost.
    if (this.#isBehind) return false
    const isDue = performance.now() > this.#dueAt + ARRIVAL_TIMEOUT_MS
    if (this.#seq < (isFinal ? count : isDue ? this.#due : 0)) return true
    if (isDue) [this.#due, this.#dueAt] = [count, performance.now()]
    // A lower count than before: the database was restored, or replaced by an older copy.
    return count < seq
  }

  /** Changes were missed: no client may continue from an earlier id. */
  restart(count: number): void {
    this.history = []
    if (this.#isShared) this.#continueFrom(count)
    else this.#epoch = newEpoch()
  }

  /**
   * The changes after an id; undefined if some are no longer kept, or the id was never delivered.
   */
  changesAfter(id: string): readonly NumberedChange[] | undefined {
    const [, epoch, digits = ''] = /^([\w-]{1,20})\.(\d{1,15})$/.exec(id) ?? []
    const missed = this.seq - Number(digits)
    if (epoch !== this.#epoch || missed > this.history.length) return undefined
    // Another process may have delivered it before it arrived here.
    if (missed < 0) return Number(digits) <= this.#counted ? [] : undefined
    return missed === 0 ? [] : this.history.slice(-missed)
  }

  #sort(incoming: IncomingChanges): void {
    const batch =
      'made' in incoming
        ? incoming
        : { first: this.seq + 1, made: toChanges(incoming.noted, incoming.actor_id) }
    if (this.#seq === undefined || batch.first > this.#seq) {
      this.#earlyBatches.set(batch.first, batch)
    }
  }

  #appendReady(changes: NumberedChange[]): void {
    if (this.#earlyBatches.size === 0 || (this.#seq === undefined && this.pendingCounts > 0)) return
    this.#seq ??= Math.min(...this.#earlyBatches.keys()) - 1
    while (changes.length < CHANGES_PER_TURN) {
      const batch = this.#takeNext()
      if (!batch) return
      for (const { notice, only_for } of batch.made) {
        this.#seq += 1
        const text = JSON.stringify({ seq: this.#seq, ...notice })
        changes.push({ id: this.id, notice, only_for, text })
      }
    }
  }

  #takeNext(): ChangeBatch | undefined {
    const batch = this.#earlyBatches.get(this.seq + 1)
    if (batch) this.#earlyBatches.delete(batch.first)
    return batch
  }

  #continueFrom(count: number): void {
    ;[this.#seq, this.#counted, this.#due] = [count, count, count]
    for (const first of this.#earlyBatches.keys())
      if (first <= count) this.#earlyBatches.delete(first)
  }
}

const newEpoch = () => randomBytes(6).toString('base64url')
