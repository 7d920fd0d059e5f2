import { HOUR_MS } from '#lib/durations.ts'
import { NetworkError } from '../../lib/http/problem.ts'
import { classifyFailure, isTargetLost } from './failed-attempt.ts'
import {
  type CreatedRecord,
  type MutationEntry,
  type MutationKind,
  type MutationLogDeps,
  type MutationStorage,
  type NewMutation,
  pickEntry,
  type QueuedMutation,
} from './mutation-entry.ts'

const MAX_PARALLEL_REQUESTS = 4

/**
 * All writes that the server has not acknowledged.
 *
 * Invariant: from `add` until the server has acknowledged it, the person has discarded it, or
 * the server has refused it and another one replaces its text, an entry is in the log of one open
 * page, and in the storage unless `storage` says that it is not. A replaced one leaves the storage
 * with the transaction that puts the other one there, or the one that removes both.
 * It is sent only after the attempt to store it has ended, only behind the earlier entries of its
 * queue key and those that order one of the same records, always under its key, and never unasked
 * once the server may have forgotten the key. So each entry is applied once, or is shown as waiting
 * or refused with its text.
 * What it needs is injected, so that test/sync/sync-simulation.ts can check it under faults.
 */
export class MutationLog<P> {
  readonly #deps: MutationLogDeps<P>
  #entries: readonly QueuedMutation<P>[] = []
  #lastTurn = 0
  #hasResumed = false
  /** What the storage is deleting because the person has discarded it. It is not sent any more. */
  readonly #discarding = new Set<string>()
  readonly #storage: OrderedStorage<P>

  constructor(deps: MutationLogDeps<P>) {
    this.#deps = deps
    this.#storage = new OrderedStorage(deps.storage)
  }

  /** All unacknowledged mutations in the order in which they were made. */
  get entries(): readonly QueuedMutation<P>[] {
    return this.#entries
  }

  /**
   * Adds a mutation and sends it as soon as it is stored. Those that it replaces are removed only
   * once they are refused: any other may have reached the server.
   */
  add(entry: NewMutation<P>): void {
    const madeAt = this.#deps.now()
    this.#lastTurn = Math.max(this.#lastTurn + 1, madeAt)
    let { payload } = entry
    for (const one of this.#entries.toReversed())
      if (one.refusal) payload = this.#deps.rebaseOn(one.payload)(payload) ?? payload
    this.#entries = this.#entries.filter(
      ({ key, refusal }) => !refusal || !entry.replacedKeys?.includes(key),
    )
    this.#append({
      ...entry,
      payload,
      madeAt,
      turn: this.#lastTurn,
      state: 'waiting',
      storage: 'storing',
      attempts: 0,
      approvedAt: 0,
      maybeSent: false,
      mayBeOutdated: !this.#deps.isOnline(),
    })
    void this.#store(entry.key)
  }

  /** Adds the mutations that an earlier page has left, in the storage apart from these keys. */
  resume(entries: readonly MutationEntry<P>[], unstoredKeys?: ReadonlySet<string>): void {
    // What a new page has added already is newer, even if the clock was set back since.
    const added = entries.length > 0 && !this.#hasResumed ? this.#entries : []
    this.#hasResumed = true
    this.#lastTurn = Math.max(this.#lastTurn, ...entries.map(({ turn }) => turn))
    for (const entry of entries) {
      if (this.#find(entry.key)) continue
      this.#append({
        ...entry,
        state: entry.refusal ? 'unsaved' : 'waiting',
        storage: unstoredKeys?.has(entry.key) ? 'failed' : 'stored',
        attempts: 0,
        approvedAt: 0,
        maybeSent: true,
        mayBeOutdated: true,
      })
    }
    for (const { key } of added) {
      this.#lastTurn += 1
      this.#update(key, { turn: this.#lastTurn })
    }
    // In one write: a page that ends between two would leave them in another order.
    void this.#store(...added.map(({ key }) => key))
    this.sendNext()
  }

  /** Sends what may be sent now; called whenever the network or the session is back. */
  sendNext(): void {
    if (this.#deps.isPaused() || !this.#deps.isOnline()) return
    let sending = this.#entries.filter(({ state }) => state === 'sending').length
    for (const one of findDueMutations(this.#entries, this.#discarding, this.#deps)) {
      if (isTooOldUnasked(one, this.#deps.now())) {
        this.#update(one.key, { state: 'unsaved', mayBeOutdated: true })
      } else if (sending < MAX_PARALLEL_REQUESTS) {
        sending += 1
        void this.#attempt(one)
      }
    }
  }

  /** Retries what failed because the server did not answer; the rest waits for the person. */
  retryFailed(): void {
    for (const one of this.#entries)
      if (one.state === 'unsaved' && !one.refusal && !isTooOldUnasked(one, this.#deps.now()))
        this.#update(one.key, { state: 'waiting', attempts: 0 })
    this.sendNext()
  }

  /** Retries a mutation because the person has asked for it. */
  retry(key: string): void {
    const one = this.#find(key)
    if (one?.state !== 'unsaved') return
    this.#update(key, {
      state: 'waiting',
      attempts: 0,
      approvedAt: this.#deps.now(),
      mayBeOutdated: true,
      refusal: undefined,
      error: undefined,
    })
    this.sendNext()
  }

  /**
   * Discards a mutation and reverts what is shown, once the storage has deleted it: otherwise a
   * reload could bring it back. Rejects if its kind cannot be loaded now.
   */
  async discard(key: string): Promise<void> {
    const found = this.#find(key)
    if (!found) return
    const kind = await this.#kindOf(found)
    if (this.#find(key)?.state === 'sending') return
    this.#discarding.add(key)
    kind.stop?.(key)
    // At once, because what was made on top of it is not held up any more.
    const revised = this.#reviseLater(found, this.#deps.rebaseOn(found.payload))
    await this.#write([], [key, ...this.#removedKeysOf(found)])
    void this.#store(...revised)
    this.#discarding.delete(key)
    const one = this.#find(key)
    if (!one) return
    this.#set(this.#entries.filter((other) => other !== one))
    this.sendNext()
    kind.revert(one.payload, undefined, key)
  }

  /** Cancels a mutation that was not sent yet or is refused; returns false if it may be applied. */
  cancel(key: string): boolean {
    const one = this.#find(key)
    const isRefused = one?.state === 'unsaved' && one.refusal !== undefined
    if (!one || (one.maybeSent && !isRefused)) return false
    this.abandon(key)
    return true
  }

  /** Removes a mutation that the server has not applied and that will not be sent any more. */
  abandon(key: string): void {
    const one = this.#find(key)
    if (!one) return
    const revised = this.#reviseLater(one, this.#deps.rebaseOn(one.payload))
    // A full storage can still delete, but not in one transaction with what it cannot store.
    void this.#remove(key)
    void this.#store(...revised)
  }

  /** Revises and stores the payloads of the mutations after this one, in their order. */
  reviseLater(key: string, revise: (payload: P) => P | undefined): void {
    const one = this.#find(key)
    if (one) void this.#store(...this.#reviseLater(one, revise))
  }

  /** Holds a mutation that is being sent until `end`. Throws if it was discarded meanwhile. */
  async hold(key: string, end: Promise<unknown>): Promise<void> {
    this.#update(key, { state: 'held' })
    this.sendNext()
    await end
    if (!this.#find(key) || this.#discarding.has(key)) throw new Error('Discarded')
    this.#update(key, { state: 'sending' })
  }

  /** Drops all mutations of this page, on signing out. */
  clear(): void {
    this.#set([])
  }

  async #attempt(one: QueuedMutation<P>): Promise<void> {
    const { key, madeAt, maybeSent } = one
    this.#update(key, { state: 'sending', maybeSent: true })
    try {
      const kind = await this.#kindOf(one)
      const created = await kind.send(one.payload, {
        key,
        madeAt,
        maybeSent,
        hold: (choice) => this.hold(key, choice),
        revise: (payload) => this.#revise(key, payload),
        assertRecent: () => {
          // The next attempt waits for the person.
          if (isTooOldUnasked(this.#find(key) ?? one, this.#deps.now())) throw new NetworkError()
        },
      })
      await this.#acknowledge(key, created)
    } catch (error) {
      const failed = this.#find(key)
      if (failed && !this.#discarding.has(key)) await this.#handleFailure(failed, error)
    }
    this.sendNext()
  }

  /**
   * Removes an entry; in the same transaction, later ones get the ids of the records that it made, and what
   * they keep of its outcome.
   */
  async #acknowledge(key: string, created: readonly CreatedRecord[]): Promise<void> {
    // If one cannot be loaded, nothing may have changed yet.
    if (created.length > 0) await Promise.all(this.#entries.map((one) => this.#kindOf(one)))
    const applied = this.#find(key)
    const revised = new Set(applied && this.#reviseLater(applied, this.#deps.keepOutcomeOf(key)))
    for (const record of created) {
      for (const { key: other } of this.#entries) {
        const one = this.#find(other)
        if (!one || other === key) continue
        const payload = (await this.#kindOf(one)).resolveTempId?.(one.payload, record)
        if (payload === undefined) continue
        const queueKey = one.queueKey === record.tempId ? record.id : one.queueKey
        this.#update(other, { payload, queueKey })
        revised.add(other)
      }
    }
    // If this fails, the next page sends the entry once more and gets the same reply.
    void this.#remove(
      key,
      [...revised].flatMap((other) => this.#find(other) ?? []),
    )
  }

  async #handleFailure(one: QueuedMutation<P>, error: unknown): Promise<void> {
    const outcome = classifyFailure(error, one.attempts, this.#deps.random)
    if (outcome === 'waiting') this.#update(one.key, { state: 'waiting' })
    else if (outcome === 'refused') await this.#handleRefusal(one, error)
    else if (outcome !== 'unsaved') this.#retryLater(one.key, ...outcome)
    else this.#update(one.key, { state: 'unsaved', mayBeOutdated: true, error })
  }

  async #handleRefusal(one: QueuedMutation<P>, error: unknown): Promise<void> {
    const { key, payload } = one
    const kind = await this.#kindOf(one)
    const text = kind.textOf?.(payload)
    const isReplaced = this.#entries.some(({ replacedKeys }) => replacedKeys?.includes(key))
    if (isReplaced || (text === undefined && !(one.mayBeOutdated && isTargetLost(error)))) {
      this.abandon(key)
      kind.revert(payload, error, key)
      return
    }
    const rebased = this.#reviseLater(one, this.#deps.rebaseOn(payload))
    const reason = error instanceof Error ? error.message : ''
    this.#update(key, {
      state: 'unsaved',
      error,
      refusal: { reason, text },
      // With the refusal in one write: the next page must not send it before the person was asked.
      payload: kind.rebase?.(payload, error) ?? payload,
    })
    await this.#store(key, ...rebased)
  }

  /** Revises the payloads of the mutations after an entry, and returns their keys. */
  #reviseLater({ turn }: MutationEntry<P>, revise: (payload: P) => P | undefined): string[] {
    return this.#entries.flatMap(({ key, turn: at, payload }) => {
      const revised = at > turn ? revise(payload) : undefined
      if (revised === undefined) return []
      this.#update(key, { payload: revised })
      return key
    })
  }

  /** Retries after a delay. The state stays, so that its queue key remains blocked. */
  #retryLater(key: string, attempts: number, ms: number): void {
    this.#update(key, { attempts })
    this.#deps.schedule(() => {
      this.#update(key, { state: 'waiting' })
      this.sendNext()
    }, ms)
  }

  async #revise(key: string, payload: P): Promise<void> {
    // Until it is stored, a page that ends keeps the revised one among the drafts.
    this.#update(key, { payload, approvedAt: this.#deps.now(), storage: 'storing' })
    await this.#store(key)
  }

  async #store(...keys: readonly string[]): Promise<void> {
    const stored = keys.flatMap((key) => (this.#discarding.has(key) ? [] : (this.#find(key) ?? [])))
    if (stored.length === 0) return
    const storage = (await this.#write(stored, [])) ? 'stored' : 'failed'
    for (const { key } of stored) this.#update(key, { storage })
    this.sendNext()
  }

  #remove(key: string, revised: readonly MutationEntry<P>[] = []): Promise<unknown> {
    const found = this.#find(key)
    this.#set(this.#entries.filter((one) => one.key !== key))
    return this.#write(revised, [key, ...(found ? this.#removedKeysOf(found) : [])])
  }

  /** Whether a write succeeded. What was not stored is marked so, and the person is told. */
  #write(puts: readonly MutationEntry<P>[], deletedKeys: readonly string[]): Promise<boolean> {
    const deleted = [...deletedKeys, ...puts.flatMap((one) => this.#removedKeysOf(one))]
    return this.#storage.write(puts, deleted)
  }

  /** Those that an entry replaces and that are in the log no more. */
  #removedKeysOf({ replacedKeys = [] }: MutationEntry<P>): readonly string[] {
    return replacedKeys.filter((key) => !this.#find(key))
  }

  #kindOf = ({ payload }: MutationEntry<P>): Promise<MutationKind<P>> =>
    this.#deps.loadKind(payload)

  #find(key: string): QueuedMutation<P> | undefined {
    return this.#entries.find((one) => one.key === key)
  }

  #append(one: QueuedMutation<P>): void {
    this.#set([...this.#entries, one])
  }

  #update(key: string, change: Partial<QueuedMutation<P>>): void {
    this.#set(this.#entries.map((one) => (one.key === key ? { ...one, ...change } : one)))
  }

  #set(entries: readonly QueuedMutation<P>[]): void {
    this.#entries = entries.toSorted((a, b) => a.turn - b.turn)
    this.#deps.onChange(this.#entries)
  }
}

/** Writes to a storage one after the other: a deletion must not overtake its entry. */
export class OrderedStorage<P> {
  readonly #storage: MutationStorage<P>
  #lastWrite: Promise<unknown> = Promise.resolve()
  /** What could not be deleted. It goes with the next write, or the next page would send it. */
  readonly #undeleted = new Set<string>()

  constructor(storage: MutationStorage<P>) {
    this.#storage = storage
  }

  /** Whether all of it is stored and deleted; if not, nothing is, and only the deletion is tried again. */
  write(puts: readonly MutationEntry<P>[], deletedKeys: readonly string[]): Promise<boolean> {
    const stored = puts.map(pickEntry)
    const write = this.#lastWrite.then(() => this.#attempt(stored, deletedKeys)).catch(() => false)
    this.#lastWrite = write
    return write
  }

  async #attempt(puts: readonly MutationEntry<P>[], deletedKeys: readonly string[]): Promise<true> {
    for (const { key } of puts) this.#undeleted.delete(key)
    for (const key of deletedKeys) this.#undeleted.add(key)
    const deleted = [...this.#undeleted]
    await this.#storage.write(puts, deleted)
    for (const key of deleted) this.#undeleted.delete(key)
    return true
  }
}

/**
 * Older mutations wait for the person. The server forgets a key after 24 hours
 * (docs/spec/api.md#idempotency-key); the rest is for clocks that are wrong by hours.
 */
const MAX_UNASKED_AGE_MS = 12 * HOUR_MS
/** How long an old mutation may be sent after the person has asked for it. */
const APPROVAL_TTL_MS = 10 * 60 * 1000

/** The waiting mutations that no earlier one blocks and whose first write to the storage has ended. */
function findDueMutations<P>(
  entries: readonly QueuedMutation<P>[],
  discarding: ReadonlySet<string>,
  { blockingKeysOf, awaitedKeysOf }: Pick<MutationLogDeps<P>, 'blockingKeysOf' | 'awaitedKeysOf'>,
): QueuedMutation<P>[] {
  // One that is held blocks only newer ones: it may wait for an earlier one, which the person has
  // asked to send again.
  const active = entries.filter(({ state }) => state === 'sending')
  const blocked = new Set(active.flatMap(blockingKeysOf))
  return entries.filter((one) => {
    if (one.refusal || discarding.has(one.key)) return false
    const isFirst = !awaitedKeysOf(one).some((key) => blocked.has(key))
    for (const key of blockingKeysOf(one)) blocked.add(key)
    return isFirst && one.state === 'waiting' && one.storage !== 'storing'
  })
}

/** Whether a mutation may be sent only after the person has asked for it. */
function isTooOldUnasked<P>({ madeAt, approvedAt }: QueuedMutation<P>, now: number): boolean {
  // A time in the future is from a clock that was set back, so the age is unknown.
  const isWithin = (at: number, ms: number) => at <= now && now - at <= ms
  return !isWithin(madeAt, MAX_UNASKED_AGE_MS) && !isWithin(approvedAt, APPROVAL_TTL_MS)
}
