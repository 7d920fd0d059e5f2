import { assertTransition, type ModeTransitions } from '#lib/mode.ts'
import {
  type FieldValues,
  findConflict,
  getOrderedIds,
  getTargetId,
  listPatchedFields,
  type Mutation,
  type ReplicaRecord,
  rebaseOnAbandoned,
  replaceTempId,
} from './mutations.ts'

/**
 * `waiting` to be sent; `sending`, which includes the pause before another attempt; `asking` the
 * person, because somebody else has changed the same fields; `unsaved` until the person or the network asks
 * for another attempt.
 */
export type MutationMode = 'waiting' | 'sending' | 'asking' | 'unsaved'

const MUTATION_TRANSITIONS: ModeTransitions<MutationMode> = {
  waiting: ['sending'],
  sending: ['waiting', 'asking', 'unsaved'],
  asking: ['waiting'],
  unsaved: ['waiting'],
}

/** What is stored of a pending mutation. */
export interface StoredPendingMutation {
  readonly mutation: Mutation
  /** Why the server has refused it. */
  readonly refusal?: string | undefined
}

/** A mutation that the server has not acknowledged. Each change makes another object. */
export interface PendingMutation extends StoredPendingMutation {
  readonly mode: MutationMode
  /** Whether the first attempt to store it has ended. */
  readonly isStored: boolean
  /** Whether this page or an earlier one may have sent it. */
  readonly maybeSent: boolean
  /** Attempts that have failed since the person or the network last asked for one. */
  readonly failedAttempts: number
  /** While it is asking: the fields that somebody else has changed. */
  readonly conflict: readonly string[]
}

/** What the server has made of a mutation. */
export interface MutationReply {
  /** Undefined if it is deleted. */
  readonly record: ReplicaRecord | undefined
  /** The number of the write; undefined if the server repeats an earlier reply, which may be outdated. */
  readonly n: number | undefined
}

/** The server has refused a request; any other error means that it may not have arrived. */
export class RequestRefusedError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A version that no record has, so that a write of it is refused unless it is a repeated one. */
const IMPOSSIBLE_VERSION = 0
const MAX_PARALLEL_REQUESTS = 4
/** After so many failed attempts a mutation is unsaved. */
const MAX_ATTEMPTS = 4

/** What the log needs of its page. */
export interface MutationLogPage {
  /** The server's record, without pending mutations. */
  getBase(id: string): ReplicaRecord | undefined
  /** Reads records into the replica; afterwards those that do not exist are not in it. */
  read(ids: readonly string[]): Promise<void>
  /** Sends a mutation under its key, if the record still has this version. */
  send(mutation: Mutation, version: number | undefined): Promise<MutationReply>
  /** One transaction. Transactions take effect in the order of their calls. */
  store(puts: readonly StoredPendingMutation[], deletedKeys: readonly string[]): Promise<void>
  /** Takes a reply into the replica, and runs `end` before anybody is notified. */
  settle(id: string, reply: MutationReply, end: () => void): void
  /** Resolves when it is time for another attempt after so many have failed. */
  waitToRetry(failedAttempts: number): Promise<void>
  canSend(): boolean
  /** Whether it has text that a person has typed, which must not be lost if it is refused. */
  hasText(mutation: Mutation): boolean
  /** A mutation without such text is refused, and dropped. */
  onRefused(mutation: Mutation, reason: string): void
  /** The records that are shown in another way now, by temporary ids too. */
  onChange(ids: ReadonlySet<string>): void
}

/**
 * All mutations that the server has not acknowledged, in the order in which they were made.
 *
 * An entry is stored before it is sent. It is sent under its key, behind the earlier entries of its
 * record, and only if each field that it sets has a value that the person has seen, or the wanted
 * one. It leaves the log in the step in which the replica has its result; before that only if the
 * person discards it, if it is refused and has no text, or if a newer text replaces a refused one.
 */
export class PendingMutationLog {
  readonly #page: MutationLogPage
  #entries: readonly PendingMutation[]
  #mutationsById: ReadonlyMap<string, readonly Mutation[]> = new Map()
  /** The server's ids of records that this page has created, by their temporary ids. */
  readonly #createdIds = new Map<string, string>()

  /** Begins with the mutations that earlier pages have left, in their order. */
  constructor(page: MutationLogPage, stored: readonly StoredPendingMutation[]) {
    this.#page = page
    this.#entries = stored.map((one) => ({
      ...one,
      mode: one.refusal === undefined ? 'waiting' : 'unsaved',
      isStored: true,
      maybeSent: one.refusal === undefined,
      failedAttempts: 0,
      conflict: [],
    }))
    this.#index()
  }

  get entries(): readonly PendingMutation[] {
    return this.#entries
  }

  /** The pending mutations of a record in their order; the same array until one of them changes. */
  getMutations = (id: string): readonly Mutation[] => this.#mutationsById.get(id) ?? []

  /** The records that pending mutations write, by temporary ids too. */
  get targetIds(): IterableIterator<string> {
    return this.#mutationsById.keys()
  }

  /** The server's id for the temporary one of a record that this page has created. */
  getCreatedId = (tempId: string): string => this.#createdIds.get(tempId) ?? tempId

  /** Adds a mutation; it is sent once it is stored. */
  add(made: Mutation): void {
    let mutation = made
    for (const [tempId, id] of this.#createdIds) mutation = replaceTempId(mutation, tempId, id)
    const refused = this.#entries.filter(
      (one) => one.refusal !== undefined && getTargetId(one.mutation) === getTargetId(mutation),
    )
    for (const one of refused.toReversed())
      mutation = rebaseOnAbandoned(mutation, one.mutation, new Set(listPatchedFields(one.mutation)))
    const entry: PendingMutation = {
      mutation,
      mode: 'waiting',
      isStored: false,
      maybeSent: false,
      failedAttempts: 0,
      conflict: [],
    }
    const replaced = refused.filter((one) => isReplacedBy(one.mutation, mutation))
    this.#set([...this.#entries.filter((one) => !replaced.includes(one)), entry], [mutation])
    this.#store([entry], replaced.map(getKey))
  }

  /** Removes a mutation that has not been sent; returns false if the server may have applied it. */
  cancel(key: string): boolean {
    const one = this.#find(key)
    if (!one || one.maybeSent || one.mode === 'sending') return false
    this.#abandon(one)
    return true
  }

  /** Removes a mutation that waits for the person, because they discard it. */
  discard(key: string): void {
    const one = this.#find(key)
    if (one?.mode === 'asking' || one?.mode === 'unsaved') this.#abandon(one)
  }

  /** Sends a mutation over the values of somebody else, which the person has seen. */
  keep(key: string, seen: FieldValues): void {
    const one = this.#find(key)
    if (one?.mode !== 'asking' || one.mutation.kind !== 'update') return
    const before = { ...one.mutation.before, ...seen }
    const kept = this.#enter(key, 'waiting', {
      mutation: { ...one.mutation, before },
      isStored: false,
      conflict: [],
    })
    if (kept) this.#store([kept])
  }

  /** Makes another attempt, because the person asks for it. */
  retry(key: string): void {
    const one = this.#find(key)
    if (one?.mode !== 'unsaved') return
    const retried = this.#enter(key, 'waiting', { refusal: undefined, failedAttempts: 0 })
    // The next page must not take it for refused.
    if (retried && one.refusal !== undefined) this.#store([retried])
    this.sendNext()
  }

  /** Makes another attempt with all that the server has not answered, because the network is back. */
  retryFailed(): void {
    for (const { mutation, mode, refusal } of this.#entries)
      if (mode === 'unsaved' && refusal === undefined)
        this.#enter(mutation.key, 'waiting', { failedAttempts: 0 })
    this.sendNext()
  }

  /**
   * Acknowledges the creations of these records, whatever became of the replies: the id of a record
   * ends with the last letters of the key of its creation.
   */
  recognizeCreated(ids: Iterable<string>): void {
    const creations = this.#entries.filter(({ mutation }) => mutation.kind === 'create')
    if (creations.length === 0) return
    const keys = new Map(creations.map(({ mutation: { key } }) => [getKeyInId(key), key]))
    for (const id of ids) {
      const key = keys.get(getKeyInId(id))
      if (key !== undefined && this.#page.getBase(id)) this.#acknowledge(key, id)
    }
  }

  /** Sends what may be sent now; called whenever the network or the session is back. */
  sendNext(): void {
    if (!this.#page.canSend()) return
    let sendingCount = this.#entries.filter(({ mode }) => mode === 'sending').length
    const blockedIds = new Set<string>()
    for (const { mutation, mode, isStored, refusal } of this.#entries) {
      const ids = getOrderedIds(mutation)
      const isFirst = !ids.some((id) => blockedIds.has(id))
      // What is refused waits for the person, and must not hold up what they do afterwards, unless
      // that needs the record.
      if (refusal === undefined || mutation.kind === 'create')
        for (const id of ids) blockedIds.add(id)
      if (!isFirst || mode !== 'waiting' || !isStored) continue
      if (sendingCount >= MAX_PARALLEL_REQUESTS) return
      sendingCount += 1
      void this.#attempt(mutation.key)
    }
  }

  async #attempt(key: string): Promise<void> {
    this.#enter(key, 'sending')
    try {
      await this.#send(key)
    } catch (error) {
      await this.#handleFailure(key, error)
    }
    this.sendNext()
  }

  async #send(key: string): Promise<void> {
    const one = this.#find(key)
    if (!one) return
    const { mutation, maybeSent } = one
    const id = getTargetId(mutation)
    if (mutation.kind === 'create') return this.#request(mutation, undefined)
    if (!this.#page.getBase(id)) await this.#page.read([id])
    const base = this.#page.getBase(id)
    const conflict = base ? findConflict(mutation, base) : []
    if (base && conflict.length === 0) return this.#request(mutation, base.version)
    // If it was sent, the server may have applied it before the change of somebody else, and knows.
    if (maybeSent) return this.#request(mutation, IMPOSSIBLE_VERSION)
    if (!base) throw new RequestRefusedError(404, 'The record does not exist any more')
    this.#enter(key, 'asking', { conflict })
  }

  async #request(mutation: Mutation, version: number | undefined): Promise<void> {
    const { key } = mutation
    const id = getTargetId(mutation)
    this.#update(key, { maybeSent: true })
    let reply: MutationReply
    try {
      reply = await this.#page.send(mutation, version)
    } catch (error) {
      if (!(error instanceof RequestRefusedError)) throw error
      // Else a reply under its key would have been repeated.
      this.#update(key, { maybeSent: false })
      if (error.status !== 404 && error.status !== 412) throw error
      await this.#page.read([id])
      if (error.status === 404) throw error
      this.#enter(key, 'waiting')
      return
    }
    const recordId = reply.record?.id ?? id
    if (reply.n === undefined) await this.#page.read([recordId])
    this.#page.settle(recordId, reply, () => this.#acknowledge(key, recordId))
  }

  async #handleFailure(key: string, error: unknown): Promise<void> {
    const one = this.#find(key)
    if (!one) return
    const { mutation } = one
    if (error instanceof RequestRefusedError) {
      // The person has set the same fields anew, before the server could refuse this.
      const isReplaced = this.#findLater(one).some((later) =>
        isReplacedBy(mutation, later.mutation),
      )
      const isGone = mutation.kind === 'delete' && !this.#page.getBase(mutation.id)
      if (isGone) this.#acknowledge(key, mutation.id)
      else if (isReplaced) this.#abandon(one)
      else if (mutation.kind === 'create' || this.#page.hasText(mutation)) {
        const refused = this.#enter(key, 'unsaved', { refusal: error.message })
        if (refused) this.#store([refused, ...this.#rebaseLater(refused)])
      } else {
        this.#abandon(one)
        this.#page.onRefused(mutation, error.message)
      }
      return
    }
    const failedAttempts = one.failedAttempts + 1
    this.#update(key, { failedAttempts })
    if (failedAttempts >= MAX_ATTEMPTS) {
      this.#enter(key, 'unsaved')
      return
    }
    await this.#page.waitToRetry(failedAttempts)
    if (this.#find(key)) this.#enter(key, 'waiting')
  }

  /** Removes a mutation that the server has applied. */
  #acknowledge(key: string, id: string): void {
    const one = this.#find(key)
    if (!one) return
    const rest = this.#entries.filter((other) => other !== one)
    if (one.mutation.kind !== 'create') {
      this.#set(rest, [one.mutation])
      this.#store([], [key])
      return
    }
    const tempId = one.mutation.record.id
    this.#createdIds.set(tempId, id)
    const resolved = rest.map((other) => {
      const mutation = replaceTempId(other.mutation, tempId, id)
      return mutation === other.mutation ? other : { ...other, mutation }
    })
    const changed = resolved.filter((other, at) => other !== rest[at])
    this.#set(resolved, [one.mutation, ...changed.map(({ mutation }) => mutation)])
    // In one transaction: without the creation, nobody could resolve the temporary id.
    this.#store(changed, [key])
  }

  /** Removes a mutation that has not been applied and never will be. */
  #abandon(one: PendingMutation): void {
    const rebased = this.#rebaseLater(one)
    const { mutation } = one
    // Nothing can be done to a record that was never created.
    const orphans =
      mutation.kind === 'create'
        ? this.#entries.filter((other) => getTargetId(other.mutation) === mutation.record.id)
        : this.#entries.filter((other) => other.mutation.key === mutation.key)
    this.#set(
      this.#entries.filter((other) => !orphans.includes(other)),
      orphans.map((other) => other.mutation),
    )
    this.#store(rebased, orphans.map(getKey))
    this.sendNext()
  }

  /** Rebases the later mutations of the record; those that have changed. */
  #rebaseLater(abandoned: PendingMutation): PendingMutation[] {
    const fields = new Set(listPatchedFields(abandoned.mutation))
    const rebased = new Map<PendingMutation, PendingMutation>()
    for (const one of this.#findLater(abandoned)) {
      const mutation = rebaseOnAbandoned(one.mutation, abandoned.mutation, fields)
      if (mutation !== one.mutation) rebased.set(one, { ...one, mutation })
    }
    if (rebased.size > 0)
      this.#set(
        this.#entries.map((one) => rebased.get(one) ?? one),
        [],
      )
    return [...rebased.values()]
  }

  /** The later mutations of the same record. */
  #findLater(of: PendingMutation): PendingMutation[] {
    const id = getTargetId(of.mutation)
    return this.#entries
      .slice(this.#entries.indexOf(of) + 1)
      .filter(({ mutation }) => getTargetId(mutation) === id)
  }

  /** Stores entries, and sends what waits for that. A browser that cannot store anything still sends. */
  #store(puts: readonly PendingMutation[], deletedKeys: readonly string[] = []): void {
    const end = () => {
      for (const { mutation } of puts) this.#update(mutation.key, { isStored: true })
      this.sendNext()
    }
    this.#page.store(puts.map(pickStored), deletedKeys).then(end, end)
  }

  #enter(
    key: string,
    mode: MutationMode,
    change: Partial<PendingMutation> = {},
  ): PendingMutation | undefined {
    const one = this.#find(key)
    if (one) assertTransition(MUTATION_TRANSITIONS, one.mode, mode)
    return this.#update(key, { ...change, mode })
  }

  #update(key: string, change: Partial<PendingMutation>): PendingMutation | undefined {
    const one = this.#find(key)
    if (!one) return undefined
    const updated = { ...one, ...change }
    this.#set(
      this.#entries.map((other) => (other === one ? updated : other)),
      [updated.mutation],
    )
    return updated
  }

  #set(entries: readonly PendingMutation[], changed: readonly Mutation[]): void {
    this.#entries = entries
    this.#index()
    this.#page.onChange(new Set(changed.map(getTargetId)))
  }

  #index(): void {
    const earlier = this.#mutationsById
    const grouped = Map.groupBy(
      this.#entries.map(({ mutation }) => mutation),
      getTargetId,
    )
    this.#mutationsById = new Map(
      [...grouped].map(([id, mutations]) => {
        const known = earlier.get(id)
        const isSame =
          known?.length === mutations.length && known.every((one, at) => one === mutations[at])
        return [id, isSame ? known : mutations]
      }),
    )
  }

  #find(key: string): PendingMutation | undefined {
    return this.#entries.find(({ mutation }) => mutation.key === key)
  }
}

const getKey = ({ mutation }: PendingMutation): string => mutation.key

const pickStored = ({ mutation, refusal }: PendingMutation): StoredPendingMutation => ({
  mutation,
  ...(refusal !== undefined && { refusal }),
})

/** What of its Idempotency-Key the server puts into the id of a new record. */
const getKeyInId = (id: string): string => id.slice(-8)

/** Whether a newer mutation of the same record sets all that a refused one has tried to set. */
const isReplacedBy = (refused: Mutation, newer: Mutation): boolean =>
  refused.kind === 'update' &&
  newer.kind === 'update' &&
  Object.keys(refused.patch).every((field) => Object.hasOwn(newer.patch, field))
