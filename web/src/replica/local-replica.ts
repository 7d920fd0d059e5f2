import { assertTransition, type ModeTransitions } from '#lib/mode.ts'
import { isEqualJson, type ReplicaRecord } from './mutations.ts'

/** What has become of a record, or of the rights to a project. */
export type ReplicaChange =
  | { readonly op: 'put'; readonly record: ReplicaRecord }
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
export interface StreamBatch extends ChangePosition {
  readonly after: number
  readonly changes: readonly ReplicaChange[]
}

/** What a read of a scope contains: all of its records, or what has changed since. */
export interface ScopeHead extends ChangePosition {
  readonly isWhole: boolean
}

/** All records of a scope, as the browser stores them. */
export interface ScopeCopy extends ChangePosition {
  readonly records: readonly ReplicaRecord[]
}

/** A set of records that a page holds. */
export interface ReplicaScope {
  readonly name: string
  /** The project to which all of its records belong, if there is one. */
  readonly project_id?: string
  includes(record: ReplicaRecord): boolean
}

/** The scope does not exist for this person, e.g. because its project is private now. */
export class ScopeUnavailableError extends Error {
  /** The number as of which the server says so. */
  readonly n: number

  constructor(n: number) {
    super('The scope is not available')
    this.n = n
  }
}

/** What a replica needs of its page. */
export interface ReplicaDeps {
  /**
   * Reads a scope. Calls `take` for each part as it arrives, and resolves after the last one; rejects
   * if any is missing.
   */
  load(
    scope: ReplicaScope,
    since: ChangePosition | undefined,
    take: (head: ScopeHead, changes: readonly ReplicaChange[]) => void,
  ): Promise<ScopeHead>
  /** Reads single records, never from a standby that may lag behind a reply. */
  read(ids: readonly string[]): Promise<ChangePosition & { changes: readonly ReplicaChange[] }>
  /** Resolves when it is time for another attempt after so many have failed. */
  waitToRetry(failedAttempts: number): Promise<void>
  /** The records that are different now. */
  onChange(ids: ReadonlySet<string>): void
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

interface HeldScope {
  readonly scope: ReplicaScope
  readonly load: ReplicaDeps['load']
  /** Whether it consists of single records, and ends once they are read. */
  readonly isRead: boolean
  mode: ScopeMode
  /** All of its records as of this number are here, or it was unavailable; undefined before that. */
  n: number | undefined
  /** It has followed all changes after this number. */
  followedFrom: number
  /** A reset at this number makes earlier reads useless. */
  resetAt: number
}

/**
 * The records of the server that this page holds. Each is labelled with the number of a change, and
 * contains all changes up to that one, whether the stream, a reply or a read has brought it. Of two
 * states of a record the one with the greater number stays; no clock decides.
 *
 * A loaded scope equals the server's records of it at the scope's number, and the stream alone keeps
 * it so. After a gap in the stream, or a change of rights, the scope is read again.
 */
export class LocalReplica {
  readonly #deps: ReplicaDeps
  readonly #records = new Map<string, { record: ReplicaRecord; n: number }>()
  readonly #scopes = new Map<string, HeldScope>()
  /** The numbers of deletions while a scope is loading, whose read may be older. */
  readonly #deletions = new Map<string, number>()
  #history: string | undefined
  /** All changes up to this number were followed; undefined before the stream has begun. */
  #followedTo: number | undefined
  #lastRead = 0

  constructor(deps: ReplicaDeps) {
    this.#deps = deps
  }

  get = (id: string): ReplicaRecord | undefined => this.#records.get(id)?.record

  /** The number of the last change that a record is known to contain. */
  getNumber(id: string): number | undefined {
    return this.#records.get(id)?.n
  }

  *records(): IterableIterator<ReplicaRecord> {
    for (const { record } of this.#records.values()) yield record
  }

  get history(): string | undefined {
    return this.#history
  }

  /** Where the stream has to go on; undefined if it has not begun. */
  get position(): ChangePosition | undefined {
    if (this.#history === undefined || this.#followedTo === undefined) return undefined
    return { history: this.#history, n: this.#followedTo }
  }

  /** How much of a scope is here: once it is loaded, all records of it as of the number. */
  getScopeState(name: string): { mode: ScopeMode; n: number | undefined } | undefined {
    const held = this.#scopes.get(name)
    return held && { mode: held.mode, n: held.n }
  }

  /** A loaded scope as it may be stored: its records contain all changes up to the number. */
  copyScope(name: string): ScopeCopy | undefined {
    const held = this.#scopes.get(name)
    if (held?.mode !== 'loaded' || held.n === undefined || !this.#history) return undefined
    const records = [...this.records()].filter((record) => held.scope.includes(record))
    return { history: this.#history, n: held.n, records }
  }

  /** Holds a scope from now on, beginning with a stored copy of it if there is one. */
  hold(scope: ReplicaScope, copy?: ScopeCopy): void {
    if (this.#scopes.has(scope.name)) return
    const held = this.#addScope(scope, this.#deps.load, false)
    const isUsable = copy !== undefined && (this.#history ?? copy.history) === copy.history
    if (isUsable) this.#history = copy.history
    void this.#load(held, isUsable ? copy : undefined)
  }

  /** Holds a scope no longer. Records that no other scope includes are dropped. */
  release(name: string): void {
    const held = this.#scopes.get(name)
    if (!held) return
    this.#scopes.delete(name)
    const unheld = [...this.records()].filter(
      (record) => held.scope.includes(record) && !this.#isHeld(record),
    )
    this.#drop(unheld.map(({ id }) => id))
  }

  /**
   * Reads records by id, and from then on keeps them exact, as those of a scope. Resolves once they are
   * here or known not to exist.
   */
  async read(ids: readonly string[]): Promise<void> {
    this.#lastRead += 1
    const wanted = new Set(ids)
    const scope = {
      name: `read:${this.#lastRead}`,
      includes: ({ id }: ReplicaRecord) => wanted.has(id),
    }
    const load: ReplicaDeps['load'] = async (_scope, _since, take) => {
      const { changes, ...position } = await this.#deps.read(ids)
      const head = { ...position, isWhole: true }
      take(head, changes)
      return head
    }
    const held = this.#addScope(scope, load, true)
    await this.#load(held)
    // The records stay, and what is known is followed.
    this.#scopes.delete(scope.name)
  }

  /** Takes a record from the reply to a write of this page. */
  takeReply(change: ReplicaChange, n: number): void {
    this.#apply([change], n)
  }

  /** Follows the stream. What a gap before the batch may have changed is read again. */
  follow({ history, after, n, changes }: StreamBatch): void {
    if (history !== this.#history) this.#beginHistory(history)
    if (this.#followedTo === undefined || after > this.#followedTo) this.#followFrom(after)
    if (n <= (this.#followedTo ?? 0)) return
    this.#followedTo = n
    this.#apply(changes, n)
    for (const held of this.#scopes.values())
      if (held.mode !== 'loading') held.n = Math.max(held.n ?? 0, n)
  }

  #addScope(scope: ReplicaScope, load: ReplicaDeps['load'], isRead: boolean): HeldScope {
    const held: HeldScope = {
      scope,
      load,
      isRead,
      mode: 'loading',
      n: undefined,
      followedFrom: this.#followedTo ?? 0,
      resetAt: 0,
    }
    this.#scopes.set(scope.name, held)
    return held
  }

  #followFrom(after: number): void {
    this.#followedTo = after
    const scopes = [...this.#scopes.values()]
    const unheld = [...this.#records.values()].filter(
      ({ record, n }) => n < after && !this.#isHeld(record),
    )
    for (const held of scopes) {
      held.followedFrom = after
      if (held.mode !== 'loading' && (held.n ?? 0) < after) this.#reload(held)
    }
    if (unheld.length > 0) void this.read(unheld.map(({ record }) => record.id))
  }

  /** Numbers of different histories cannot be compared, so nothing of the former one stays. */
  #beginHistory(history: string): void {
    const isFirst = this.#history === undefined
    this.#history = history
    if (isFirst) return
    this.#followedTo = undefined
    this.#deletions.clear()
    this.#drop([...this.#records.keys()])
    for (const held of this.#scopes.values()) {
      Object.assign(held, { n: undefined, followedFrom: 0, resetAt: 0 })
      if (held.mode !== 'loading') this.#reload(held)
    }
  }

  #reload(held: HeldScope): void {
    if (held.mode === 'unavailable') held.n = undefined
    this.#enter(held, 'loading')
    void this.#load(held)
  }

  #enter(held: HeldScope, mode: ScopeMode): void {
    assertTransition(SCOPE_TRANSITIONS, held.mode, mode)
    held.mode = mode
  }

  async #load(held: HeldScope, copy?: ScopeCopy): Promise<void> {
    const { scope } = held
    const isReleased = () => this.#scopes.get(scope.name) !== held
    if (copy) {
      this.#apply(
        copy.records.map((record) => ({ op: 'put', record })),
        copy.n,
      )
      held.n = copy.n
      const ids = new Set(copy.records.map(({ id }) => id))
      await this.#removeFrom(held, copy.n, ({ id }) => !ids.has(id))
      if (isReleased()) return
    }
    for (let attempts = 1; ; attempts++) {
      try {
        await this.#loadOnce(held, isReleased)
      } catch (error) {
        if (error instanceof ScopeUnavailableError && !isReleased()) this.#forbid(held, error.n)
      }
      if (isReleased() || held.mode !== 'loading') break
      await this.#deps.waitToRetry(attempts)
      if (isReleased()) break
    }
    if (!this.#isLoading) this.#deletions.clear()
  }

  async #loadOnce(held: HeldScope, isReleased: () => boolean): Promise<void> {
    const { scope } = held
    const history = this.#history
    const since = history !== undefined && held.n !== undefined ? { history, n: held.n } : undefined
    const listed = new Set<string>()
    /** Another scope has all of its records as of a later number, and knows that they are outdated. */
    const contradicted = new Set<string>()
    let isComplete = true
    const isCurrent = (head: ScopeHead) => {
      if (isReleased()) return false
      if (head.history !== this.#history) {
        // The reply may be older than what has begun another history meanwhile.
        if (this.#history !== history) return false
        this.#beginHistory(head.history)
      }
      return head.n >= held.resetAt
    }
    /** Without one of its parts, a read is of no use. */
    const isUseful = (head: ScopeHead) => {
      isComplete &&= isCurrent(head)
      return isComplete
    }
    /** Where records are deleted from; one may have left several projects. */
    const deleted = new Set<string>()
    const head = await held.load(scope, since, (part, changes) => {
      if (!isUseful(part)) return
      for (const change of changes) {
        if (change.op === 'put') listed.add(change.record.id)
        else if (change.op === 'delete') deleted.add(`${change.project_id} ${change.id}`)
      }
      this.#apply(
        changes.filter(({ op }) => op !== 'delete'),
        part.n,
      )
      for (const change of changes) {
        if (held.isRead || change.op !== 'put' || !scope.includes(change.record)) continue
        if (!this.#isExact(change.record.id, part.n)) contradicted.add(change.record.id)
      }
    })
    // If a reset came with the changes, all has to be read.
    if (!isUseful(head) || (held.n === undefined && !head.isWhole)) return
    held.n = Math.max(held.n ?? 0, head.n)
    if (contradicted.size > 0) await this.read([...contradicted])
    await this.#removeFrom(
      held,
      head.n,
      ({ id, project_id }) =>
        !listed.has(id) && (head.isWhole || deleted.has(`${project_id} ${id}`)),
    )
    if (isReleased() || held.n === undefined) return
    // A standby may not have reached yet what the stream had sent before the scope was held.
    if (held.n < held.followedFrom) return
    held.n = Math.max(held.n, this.#followedTo ?? 0)
    this.#enter(held, 'loaded')
  }

  /**
   * Removes records that are not in a scope any more, as of a number. Others may have them still: a task that is not
   * in a project any more has perhaps moved, and is still among those of a person. These are read.
   */
  async #removeFrom(
    held: HeldScope,
    n: number,
    isAbsent: (record: ReplicaRecord) => boolean,
  ): Promise<void> {
    const others = [...this.#scopes.values()].filter((one) => one !== held && !one.isRead)
    const goneIds: string[] = []
    const movedIds: string[] = []
    for (const { record, n: known } of this.#records.values()) {
      if (known > n || !held.scope.includes(record) || !isAbsent(record)) continue
      const isInOther = !held.isRead && others.some((one) => isIncluding(one, record))
      const ids = isInOther ? movedIds : goneIds
      ids.push(record.id)
    }
    this.#drop(goneIds)
    if (movedIds.length > 0) await this.read(movedIds)
  }

  #forbid(held: HeldScope, n: number): void {
    if (n < Math.max(held.resetAt, held.followedFrom)) return
    this.#enter(held, 'unavailable')
    held.n = Math.max(n, this.#followedTo ?? 0)
    void this.#removeFrom(held, held.n, () => true)
  }

  #drop(ids: readonly string[]): void {
    for (const id of ids) this.#records.delete(id)
    if (ids.length > 0) this.#deps.onChange(new Set(ids))
  }

  #apply(changes: readonly ReplicaChange[], n: number): void {
    const changed = new Set<string>()
    for (const change of changes) {
      if (change.op === 'reset') this.#reset(change.project_id, n)
      else if (change.op === 'put') {
        if (this.#put(change.record, n)) changed.add(change.record.id)
      } else if (this.#delete(change, n)) changed.add(change.id)
    }
    if (changed.size > 0) this.#deps.onChange(changed)
  }

  #put(record: ReplicaRecord, n: number): boolean {
    const known = this.#records.get(record.id)
    if (known ? isOlder(record, n, known) : !this.#isMissing(record, n)) return false
    if (this.#isOutdated(record, n)) return false
    const isSame = known !== undefined && isEqualJson(known.record, record)
    // What is equal stays the same object, so that its row is not rendered again.
    this.#records.set(record.id, { record: isSame ? known.record : record, n })
    return !isSame
  }

  /** Whether a scope lacks the record, and it was not deleted since. */
  #isMissing(record: ReplicaRecord, n: number): boolean {
    return (this.#deletions.get(record.id) ?? 0) <= n && this.#isHeld(record)
  }

  /** Whether a scope, which has all of its records as of a later number, knows better. */
  #isOutdated(record: ReplicaRecord, n: number): boolean {
    return [...this.#scopes.values()].some((held) => (held.n ?? 0) > n && isIncluding(held, record))
  }

  /** Whether a record is here as it was at a number, or later. */
  #isExact(id: string, n: number): boolean {
    const known = this.#records.get(id)
    if (!known || known.n >= n) return known !== undefined
    return [...this.#scopes.values()].some(
      (held) => (held.n ?? 0) >= n && isIncluding(held, known.record),
    )
  }

  #delete({ id, project_id }: { id: string; project_id: string }, n: number): boolean {
    const known = this.#records.get(id)
    if (known && (known.n > n || known.record.project_id !== project_id)) return false
    if (this.#isLoading) this.#deletions.set(id, Math.max(n, this.#deletions.get(id) ?? 0))
    return this.#records.delete(id)
  }

  #reset(project_id: string, n: number): void {
    const unheld = [...this.records()].filter(
      (record) => record.project_id === project_id && !this.#isHeld(record),
    )
    for (const held of this.#scopes.values()) {
      if ((held.scope.project_id ?? project_id) !== project_id) continue
      held.n = undefined
      held.resetAt = Math.max(held.resetAt, n)
      if (held.mode !== 'loading') this.#reload(held)
    }
    if (unheld.length > 0) void this.read(unheld.map(({ id }) => id))
  }

  get #isLoading(): boolean {
    return [...this.#scopes.values()].some(({ mode }) => mode === 'loading')
  }

  #isHeld = (record: ReplicaRecord): boolean =>
    [...this.#scopes.values()].some((held) => isIncluding(held, record))
}

const isIncluding = ({ mode, scope }: HeldScope, record: ReplicaRecord): boolean =>
  mode !== 'unavailable' && scope.includes(record)

/** A read may contain more than its number says; of two with the same number the version decides. */
const isOlder = (
  { version }: ReplicaRecord,
  n: number,
  known: { record: ReplicaRecord; n: number },
): boolean => n < known.n || (n === known.n && version < known.record.version)
