import { assertTransition, type ModeTransitions } from '#lib/mode.ts'

/** What every record of the server has. */
export interface VersionedRecord {
  readonly id: string
  readonly project_id: string
  /** Grows with each write of the record, but not with what is derived from others. */
  readonly version: number
}

/** What has become of a record, or of the rights to a project. */
export type ReplicaChange<R extends VersionedRecord> =
  | { readonly op: 'put'; readonly record: R }
  /** A task that has moved is deleted from the project that it has left, and put in the other one. */
  | { readonly op: 'delete'; readonly id: string; readonly project_id: string }
  /** What this person sees of the project is another set of records now. */
  | { readonly op: 'reset'; readonly project_id: string }

/** A place in the order of all changes of a workspace. A restored backup begins another history. */
export interface ChangePosition {
  readonly history: string
  /** A change number: all changes up to it are included. */
  readonly n: number
}

/** All changes after one number up to another, in their order. */
export interface StreamBatch<R extends VersionedRecord> extends ChangePosition {
  readonly after: number
  readonly changes: readonly ReplicaChange<R>[]
}

/** What a read of a scope contains: all of its records, or what has changed since. */
export interface ScopeHead extends ChangePosition {
  readonly isWhole: boolean
}

/** All records of a scope, as the browser stores them. */
export interface ScopeCopy<R extends VersionedRecord> extends ChangePosition {
  readonly records: readonly R[]
}

/** A set of records that a page holds. */
export interface ReplicaScope<R extends VersionedRecord> {
  readonly name: string
  /** The project to which all of its records belong, if there is one. */
  readonly project_id?: string
  includes(record: R): boolean
}

/** The scope does not exist for this person, e.g. because its project is private now. */
export class ScopeUnavailableError extends Error {
  /** The number as of which the server says so. */
  readonly n: number

  constructor(n: number) {
    super('Unavailable')
    this.n = n
  }
}

/** What a replica needs of its page. */
export interface ReplicaDeps<R extends VersionedRecord> {
  /**
   * Reads a scope. Calls `take` for each part as it arrives, and resolves after the last one; rejects
   * if any is missing.
   */
  load(
    scope: ReplicaScope<R>,
    since: ChangePosition | undefined,
    take: (head: ScopeHead, changes: readonly ReplicaChange<R>[]) => void,
  ): Promise<ScopeHead>
  /** Reads at most 100 records as of a number, never from a standby that may lag behind a reply. */
  read(ids: readonly string[]): Promise<{ n: number; changes: readonly ReplicaChange<R>[] }>
  /** Resolves when it is time for another attempt after so many have failed. */
  waitToRetry(failedAttempts: number): Promise<void>
  /** Whether the page shows or changes a record, so that it is read again if another history begins. */
  isNeeded(id: string): boolean
  /** The records that are different now. */
  onChange(ids: ReadonlySet<string>): void
  /** The scope is held, or not any more; it has another mode, or an attempt to load it has failed. */
  onScopeChange(name: string): void
}

/** What a page may know of a scope. */
export interface ScopeState {
  readonly mode: ScopeMode
  /** Once it is loaded, all of its records are here as of this number. */
  readonly n: number | undefined
  /** Why the last attempt to load it has failed, until one succeeds. */
  readonly error?: unknown
}

/**
 * `loading`: records are missing or may be old. `loaded`: equals the server's at the scope's number.
 * `unavailable`: the person may not see it.
 */
export type ScopeMode = 'loading' | 'loaded' | 'unavailable'

const SCOPE_TRANSITIONS: ModeTransitions<ScopeMode> = {
  loading: ['loaded', 'unavailable'],
  loaded: ['loading'],
  unavailable: ['loading'],
}

/** At most so many records are read at a time. */
const MAX_READ_IDS = 100
/** Of so many records the last change is remembered, of more while something is loading. */
const MAX_RECENT_CHANGES = 1_000
/** A number says nothing before its history is known; what has none is read again when the stream begins. */
const UNKNOWN_NUMBER = -1

interface HeldScope<R extends VersionedRecord> {
  readonly scope: ReplicaScope<R>
  mode: ScopeMode
  /** All of its records as of this number are here. */
  n: number | undefined
  error: unknown
  /** As it was last read, so that it is the same object until something changes. */
  state: ScopeState
  /** While it waits for its next attempt: ends that. */
  endWait: () => void
}

interface HeldRecord<R> {
  readonly record: R
  readonly n: number
  /** It was read or written by itself, so it stays when the scopes that include it are released. */
  readonly isWanted: boolean
}

/** What is known of a record: it contains all changes up to the number. Undefined if it is deleted. */
interface RecordState<R> {
  readonly record: R | undefined
  readonly n: number
}

/**
 * The records of the server that this page holds. Each is labelled with the number of a change, and
 * contains all changes up to that one, whether the stream, a reply or a read has brought it. Of two
 * states of a record the one with the greater number stays; no clock decides.
 *
 * While nothing is loading, each record equals the server's at the position of the stream or at its
 * own number, whichever is greater, and the stream alone keeps it so. A loaded scope contains all
 * records of the server as of its number; only while its number is behind that of another scope it
 * may lack some that have changed in between, which the stream brings. After a gap in the stream, or
 * a change of rights, whatever may be outdated is read again.
 */
export class LocalReplica<R extends VersionedRecord> {
  readonly #deps: ReplicaDeps<R>
  readonly #records = new Map<string, HeldRecord<R>>()
  readonly #scopes = new Map<string, HeldScope<R>>()
  /** The last changes that the stream and replies have brought, which a read may not contain yet. */
  readonly #recent = new Map<string, RecordState<R>>()
  /** What a read as of an earlier number lacks may not be among the recent changes. */
  #rememberedFrom = UNKNOWN_NUMBER
  #history: string | undefined
  /** How many histories have ended; what was requested in one of them says nothing any more. */
  #endedHistories = 0
  /** All changes up to this number were followed; undefined before the stream has begun. */
  #followedTo: number | undefined
  /** How many reads are under way, besides those of scopes. */
  #readCount = 0

  constructor(deps: ReplicaDeps<R>) {
    this.#deps = deps
  }

  /** Undefined if the page does not hold it: only `read` finds out whether it exists. */
  get = (id: string): R | undefined => this.#records.get(id)?.record

  /** The number of the last change that a record is known to contain. */
  getNumber(id: string): number | undefined {
    return this.#records.get(id)?.n
  }

  *records(): IterableIterator<R> {
    for (const { record } of this.#records.values()) yield record
  }

  get history(): string | undefined {
    return this.#history
  }

  /** Whether anything may be outdated. */
  get isLoading(): boolean {
    return this.#readCount > 0 || [...this.#scopes.values()].some(({ mode }) => mode === 'loading')
  }

  /**
   * Where the stream has to go on, or to begin so that no loaded scope has to be loaded again; undefined
   * if it may begin anywhere.
   */
  get position(): ChangePosition | undefined {
    if (this.#history === undefined) return undefined
    const loaded = [...this.#scopes.values()].flatMap(({ mode, n }) =>
      mode === 'loaded' && n !== undefined ? n : [],
    )
    const n = this.#followedTo ?? Math.min(...loaded)
    return Number.isFinite(n) ? { history: this.#history, n } : undefined
  }

  /** The scopes that the page holds. */
  get scopeNames(): IterableIterator<string> {
    return this.#scopes.keys()
  }

  /** The same object until something changes. */
  getScopeState(name: string): ScopeState | undefined {
    const held = this.#scopes.get(name)
    if (!held) return undefined
    const { mode, n, error, state } = held
    if (state.mode !== mode || state.n !== n || state.error !== error)
      held.state = { mode, n, error }
    return held.state
  }

  /** Loads a scope at once if it waits for its next attempt. */
  retry(name: string): void {
    this.#scopes.get(name)?.endWait()
  }

  /** A loaded scope as it may be stored: its records contain all changes up to the number. */
  copyScope(name: string): ScopeCopy<R> | undefined {
    const held = this.#scopes.get(name)
    if (held?.mode !== 'loaded' || held.n === undefined || !this.#history) return undefined
    const records = [...this.records()].filter((record) => held.scope.includes(record))
    return { history: this.#history, n: held.n, records }
  }

  /** Holds a scope from now on, beginning with a stored copy of it if there is one. */
  hold(scope: ReplicaScope<R>, copy?: ScopeCopy<R>): void {
    if (this.#scopes.has(scope.name)) return
    const state = { mode: 'loading', n: undefined } as const
    const held: HeldScope<R> = {
      scope,
      ...state,
      error: undefined,
      state,
      endWait: () => undefined,
    }
    this.#scopes.set(scope.name, held)
    this.#deps.onScopeChange(scope.name)
    if (copy && (this.#history ?? copy.history) === copy.history) this.#takeCopy(held, copy)
    // Nothing has changed since it was stored.
    const isExact =
      held.n !== undefined && this.#followedTo !== undefined && held.n >= this.#followedTo
    if (isExact) this.#enter(held, 'loaded')
    else void this.#load(held)
  }

  /** Holds a scope no longer. Its records are dropped, unless another scope includes them or they were read by id. */
  release(name: string): void {
    const held = this.#scopes.get(name)
    if (!held) return
    this.#scopes.delete(name)
    this.#deps.onScopeChange(name)
    const unheldIds: string[] = []
    const wantedIds: string[] = []
    for (const [id, { record, isWanted }] of this.#records)
      if (held.scope.includes(record) && !this.#isHeld(record))
        (isWanted ? wantedIds : unheldIds).push(id)
    this.#drop(unheldIds)
    // After a gap in the stream, it would have brought these again.
    if (held.mode === 'loading') this.#readAgain(wantedIds)
  }

  /**
   * Reads records by id, and from then on keeps them exact, as those of a scope. Resolves once they are
   * here or known not to exist.
   */
  async read(ids: readonly string[]): Promise<void> {
    await this.#countRead(async () => {
      for (let at = 0; at < ids.length; at += MAX_READ_IDS) {
        const some = ids.slice(at, at + MAX_READ_IDS)
        for (let attempts = 1; !(await this.#readOnce(some)); attempts++)
          await this.#deps.waitToRetry(attempts)
      }
    })
  }

  /**
   * Takes the records of a read that decides itself which these are, e.g. a page of a search, and
   * from then on keeps them exact, as those of a scope. What it does not contain stays. Calls `load`
   * once, and rejects as it does.
   *
   * If another history begins meanwhile, its records are not taken: they may be of the former one.
   */
  async query<T extends { readonly n: number; readonly records: readonly R[] }>(
    load: () => Promise<T>,
  ): Promise<T> {
    const history = this.#history
    const endedHistories = this.#endedHistories
    return this.#countRead(async () => {
      const reply = await load()
      const { records } = reply
      const n = numberIn(history, reply.n)
      if (endedHistories === this.#endedHistories)
        this.#takeWanted(
          records.map((record) => [record.id, { record, n }]),
          n,
        )
      return reply
    })
  }

  /** Takes a record from the reply to a write of this page, and from then on keeps it exact. */
  takeReply(change: ReplicaChange<R>, n: number): void {
    const known = numberIn(this.#history, n)
    // A change of thousands of tasks must not keep them when their project is released.
    const isInScope = change.op === 'put' && this.#isHeld(change.record)
    this.#takeWanted(this.#remember([change], known), known, !isInScope)
  }

  /** Follows the stream. What a gap before the batch may have changed is read again. */
  follow({ history, after, n, changes }: StreamBatch<R>): void {
    if (history !== this.#history) this.#beginHistory(history)
    if (this.#followedTo === undefined || after > this.#followedTo) this.#followFrom(after)
    if (n <= (this.#followedTo ?? 0)) return
    this.#followedTo = n
    for (const change of changes) if (change.op === 'reset') this.#reset(change.project_id, n)
    this.#take(this.#remember(changes, n), false)
    for (const held of this.#scopes.values())
      if (held.mode === 'loaded') held.n = Math.max(held.n ?? 0, n)
    if (!this.isLoading) this.#forgetRecent()
  }

  #followFrom(after: number): void {
    this.#followedTo = after
    this.#rememberedFrom = after
    const outdated = [...this.#records.values()].filter(
      ({ record, n }) => n < after && !this.#isHeld(record),
    )
    for (const held of this.#scopes.values()) if ((held.n ?? 0) < after) this.#reload(held)
    this.#readAgain(outdated.map(({ record }) => record.id))
  }

  /** Numbers of different histories cannot be compared, so nothing of the former one stays. */
  #beginHistory(history: string): void {
    const isFirst = this.#history === undefined
    this.#history = history
    if (isFirst) return
    this.#endedHistories += 1
    this.#followedTo = undefined
    this.#rememberedFrom = UNKNOWN_NUMBER
    this.#recent.clear()
    const ids = [...this.#records.keys()]
    const neededIds = ids.filter(
      (id) => this.#records.get(id)?.isWanted === true && this.#deps.isNeeded(id),
    )
    this.#drop(ids)
    for (const held of this.#scopes.values()) {
      held.n = undefined
      this.#reload(held)
    }
    this.#readAgain(neededIds)
  }

  /** Whether a reply to a request of an earlier moment is of the present history, or begins one. */
  #isCurrent(reply: ChangePosition, requested: string | undefined): boolean {
    if (reply.history === this.#history) return true
    // The reply may be older than what has begun another history meanwhile.
    if (this.#history !== requested) return false
    this.#beginHistory(reply.history)
    return true
  }

  /** Loads a scope again, unless it is already being loaded. */
  #reload(held: HeldScope<R>): void {
    if (held.mode === 'loading') return
    this.#enter(held, 'loading')
    void this.#load(held)
  }

  #enter(held: HeldScope<R>, mode: ScopeMode): void {
    assertTransition(SCOPE_TRANSITIONS, held.mode, mode)
    held.mode = mode
    held.error = undefined
    this.#deps.onScopeChange(held.scope.name)
  }

  #takeCopy(held: HeldScope<R>, { history, n, records }: ScopeCopy<R>): void {
    this.#history = history
    const states = new Map(records.map((record) => [record.id, { record, n }]))
    this.#take(states, false)
    held.n = n
    this.#dropAbsent(held.scope, n, (id) => !states.has(id))
  }

  async #load(held: HeldScope<R>): Promise<void> {
    const { name } = held.scope
    const isReleased = () => this.#scopes.get(name) !== held
    for (let attempts = 1; ; attempts++) {
      const history = this.#history
      const endedHistories = this.#endedHistories
      try {
        await this.#loadOnce(held)
      } catch (error) {
        if (isReleased()) return
        if (!(error instanceof ScopeUnavailableError)) {
          held.error = error
          this.#deps.onScopeChange(name)
        } else if (endedHistories === this.#endedHistories)
          this.#forbid(held, numberIn(history, error.n))
      }
      if (isReleased() || held.mode !== 'loading') return
      const isRetried = new Promise<void>((resolve) => {
        held.endWait = resolve
      })
      await Promise.race([this.#deps.waitToRetry(attempts), isRetried])
      if (isReleased()) return
    }
  }

  async #loadOnce(held: HeldScope<R>): Promise<void> {
    const { scope } = held
    const history = this.#history
    const since = history !== undefined && held.n !== undefined ? { history, n: held.n } : undefined
    const listed = new Set<string>()
    const deleted = new Set<string>()
    let isComplete = true
    /** Without one of its parts, a read is of no use. */
    const isUseful = (head: ScopeHead) => {
      isComplete &&= this.#isCurrent(head, history)
      return isComplete
    }
    const head = await this.#deps.load(scope, since, (part, changes) => {
      if (!isUseful(part)) return
      const states = new Map<string, RecordState<R>>()
      // A record that is deleted while its changes are read is put, and then deleted.
      for (const change of changes) {
        if (change.op === 'reset') this.#reset(change.project_id, part.n)
        else if (change.op === 'delete') {
          deleted.add(change.id)
          listed.delete(change.id)
          states.delete(change.id)
        } else {
          listed.add(change.record.id)
          states.set(change.record.id, { record: change.record, n: part.n })
        }
      }
      this.#take(states, false)
    })
    // If a reset came with the changes, all has to be read.
    if (!isUseful(head) || (held.n === undefined && !head.isWhole)) return
    held.n = Math.max(held.n ?? 0, head.n)
    // Before the scope was held, nobody took its records from the stream.
    this.#take(this.#recent, false)
    this.#dropAbsent(scope, head.n, (id) => !listed.has(id) && (head.isWhole || deleted.has(id)))
    // A standby may not have reached yet what the stream had sent long ago, or after a gap.
    if (held.n < this.#rememberedFrom) return
    held.n = Math.max(held.n, this.#followedTo ?? 0)
    this.#enter(held, 'loaded')
  }

  #forbid(held: HeldScope<R>, n: number): void {
    if (n < this.#rememberedFrom) return
    held.n = undefined
    this.#enter(held, 'unavailable')
    this.#dropAbsent(held.scope, n, () => true)
  }

  async #countRead<T>(read: () => Promise<T>): Promise<T> {
    this.#readCount += 1
    try {
      return await read()
    } finally {
      this.#readCount -= 1
    }
  }

  /** Reads records once; returns false if that has to be repeated. */
  async #readOnce(ids: readonly string[]): Promise<boolean> {
    const history = this.#history
    const endedHistories = this.#endedHistories
    const reply = await this.#deps.read(ids).catch(() => undefined)
    if (!reply || endedHistories !== this.#endedHistories) return false
    const n = numberIn(history, reply.n)
    if (n < this.#rememberedFrom) return false
    const states = new Map<string, RecordState<R>>(ids.map((id) => [id, { record: undefined, n }]))
    for (const change of reply.changes)
      if (change.op === 'put') states.set(change.record.id, { record: change.record, n })
    this.#take(states, true)
    return true
  }

  #readAgain(ids: readonly string[]): void {
    if (ids.length > 0) void this.read(ids)
  }

  /** Takes records that stay although no scope includes them. */
  #takeWanted(
    states: readonly (readonly [string, RecordState<R>])[],
    n: number,
    isWanted = true,
  ): void {
    this.#take(states, isWanted)
    if (n < this.#rememberedFrom) this.#readAgain(states.map(([id]) => id))
  }

  /** Notes changes, so that a read that does not contain them takes nothing back. */
  #remember(
    changes: readonly ReplicaChange<R>[],
    n: number,
  ): (readonly [string, RecordState<R>])[] {
    const states = new Map<string, RecordState<R>>()
    // A task that has moved is deleted, and then put.
    for (const change of changes) {
      if (change.op === 'put') states.set(change.record.id, { record: change.record, n })
      else if (change.op === 'delete') states.set(change.id, { record: undefined, n })
    }
    for (const [id, state] of states) {
      if ((this.#recent.get(id)?.n ?? 0) > n) continue
      // The first ones are forgotten first.
      this.#recent.delete(id)
      this.#recent.set(id, state)
    }
    return [...states]
  }

  #forgetRecent(): void {
    for (const [id, { n }] of this.#recent) {
      if (this.#recent.size <= MAX_RECENT_CHANGES) return
      this.#recent.delete(id)
      this.#rememberedFrom = Math.max(this.#rememberedFrom, n)
    }
  }

  #reset(project_id: string, n: number): void {
    this.#rememberedFrom = Math.max(this.#rememberedFrom, n)
    const unheld = [...this.records()].filter(
      (record) => record.project_id === project_id && !this.#isHeld(record),
    )
    for (const held of this.#scopes.values()) {
      if ((held.scope.project_id ?? project_id) !== project_id) continue
      held.n = undefined
      this.#reload(held)
    }
    this.#readAgain(unheld.map(({ id }) => id))
  }

  #take(states: Iterable<readonly [string, RecordState<R>]>, isWanted: boolean): void {
    const changed = new Set<string>()
    for (const [id, state] of states) if (this.#takeOne(id, state, isWanted)) changed.add(id)
    if (changed.size > 0) this.#deps.onChange(changed)
  }

  /** Returns whether the record is different now. */
  #takeOne(id: string, state: RecordState<R>, isWanted: boolean): boolean {
    const known = this.#records.get(id)
    const recent = this.#recent.get(id)
    // What is known contains it.
    if (!known && recent && recent.n > state.n) {
      const isTaken = this.#takeOne(id, recent, isWanted)
      if (isTaken) this.#takeOne(id, state, isWanted)
      return isTaken
    }
    const { record, n } = state
    if (!record) return known !== undefined && known.n <= n && this.#records.delete(id)
    if (!known && !isWanted && !this.#isHeld(record)) return false
    const staysWanted = isWanted || known?.isWanted === true
    const isOutdated = (known && n < known.n) || this.#isOutdated(record, n)
    if (known?.record.version !== record.version) {
      if (!isOutdated) this.#records.set(id, { record, n, isWanted: staysWanted })
      else if (known) this.#records.set(id, { ...known, isWanted: staysWanted })
      return !isOutdated
    }
    // Reads contain more or fewer fields; those of the same version complete each other. What is
    // equal stays the same object, so that its row is not rendered again.
    const news = isOutdated ? { ...record, ...known.record } : record
    const isSame = hasFields(known.record, news)
    this.#records.set(id, {
      record: isSame ? known.record : { ...known.record, ...news },
      n: isOutdated ? known.n : n,
      isWanted: staysWanted,
    })
    return !isSame
  }

  /** Whether a scope, which has all of its records as of a later number, knows better. */
  #isOutdated = (record: R, n: number): boolean =>
    [...this.#scopes.values()].some(
      (held) => held.n !== undefined && held.n > n && isIncluding(held, record),
    )

  #isHeld = (record: R): boolean =>
    [...this.#scopes.values()].some((held) => isIncluding(held, record))

  /** Drops the records of a scope that are not in it any more, as of a number. */
  #dropAbsent(scope: ReplicaScope<R>, n: number, isAbsent: (id: string) => boolean): void {
    // The stream alone says what becomes of a record of another scope that is loaded.
    const isExact = (record: R) =>
      [...this.#scopes.values()].some(
        (held) => held.scope !== scope && held.mode === 'loaded' && held.scope.includes(record),
      )
    const absentIds: string[] = []
    for (const [id, known] of this.#records)
      if (known.n <= n && isAbsent(id) && scope.includes(known.record) && !isExact(known.record))
        absentIds.push(id)
    this.#drop(absentIds)
  }

  #drop(ids: readonly string[]): void {
    for (const id of ids) this.#records.delete(id)
    if (ids.length > 0) this.#deps.onChange(new Set(ids))
  }
}

/** The number of a reply, which says nothing if its history was not known at the request. */
const numberIn = (history: string | undefined, n: number): number =>
  history === undefined ? UNKNOWN_NUMBER : n

const isIncluding = <R extends VersionedRecord>(
  { mode, scope }: HeldScope<R>,
  record: R,
): boolean => mode !== 'unavailable' && scope.includes(record)

const hasFields = (record: object, fields: object): boolean =>
  Object.entries(fields).every(([field, value]) => isEqualJson(Reflect.get(record, field), value))

const isEqualJson = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)
