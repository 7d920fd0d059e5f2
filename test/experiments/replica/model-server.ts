import {
  type ChangePosition,
  type ReplicaChange,
  type ScopeHead,
  ScopeUnavailableError,
  type StreamBatch,
} from '../../../web/src/replica/local-replica.ts'
import {
  type FieldValues,
  isEqualJson,
  type Mutation,
  type ReplicaRecord,
} from '../../../web/src/replica/mutations.ts'
import {
  type MutationReply,
  RequestRefusedError,
} from '../../../web/src/replica/pending-mutation-log.ts'

/** What a scope of the model consists of; `project_id` is undefined if it is of all projects. */
export interface ModelScope {
  readonly name: string
  readonly project_id?: string
  includes(record: ReplicaRecord): boolean
}

/** Defects that a control puts into the server. */
export interface ServerDefects {
  /** Reads have the number of a change that they may not contain. */
  numbersTooHigh?: boolean
  /** Searches have the number of a change that they may not contain. */
  numbersSearchesTooHigh?: boolean
  /** Writes have the number of the first change. */
  numbersRepliesTooLow?: boolean
  losesStreamedChanges?: boolean
  forgetsKeys?: boolean
  ignoresVersions?: boolean
  streamsPrivateProjects?: boolean
  /** Nobody learns that their rights have changed. */
  concealsRights?: boolean
  /** A restored backup goes on with the former history. */
  keepsHistory?: boolean
}

interface LoggedChange {
  readonly n: number
  readonly change: ReplicaChange
  /** The person whom it concerns; undefined for all. */
  readonly person?: number | undefined
}

/** All states of the workspace since a backup was restored, by change number. */
interface History {
  readonly records: ReadonlyMap<string, ReplicaRecord>[]
  /** The people who may see the private project. */
  readonly insiders: ReadonlySet<number>[]
  readonly log: LoggedChange[]
}

/** A write that has changed a record, for those who judge it. */
export interface AppliedWrite {
  readonly mutation: Mutation
  readonly person: number
  readonly history: string
  readonly n: number
  readonly id: string
  readonly former: ReplicaRecord | undefined
}

export const OPEN_PROJECT = 'open'
export const PRIVATE_PROJECT = 'private'
/** The server refuses titles that begin with it. */
export const REFUSED_TITLE = 'refused'

/** A model of the server: changes with numbers, keys, versions, rights, and backups. */
export class ModelServer {
  readonly histories = new Map<string, History>()
  readonly deleted = new Map<string, ReplicaRecord>()
  readonly listeners = new Set<() => void>()
  readonly #random: () => number
  readonly #defects: ServerDefects
  readonly #replies = new Map<string, { n: number; record: ReplicaRecord | undefined }>()
  readonly #onApplied: (write: AppliedWrite) => void
  /** Positions before this number are too old to go on from. */
  oldestPosition = 0
  #historyCount = 1
  #recordCount = 0
  #current: History

  constructor(
    random: () => number,
    defects: ServerDefects,
    insiders: readonly number[],
    onApplied: (write: AppliedWrite) => void,
  ) {
    this.#random = random
    this.#defects = defects
    this.#onApplied = onApplied
    this.#current = { records: [new Map()], insiders: [new Set(insiders)], log: [] }
    this.histories.set(this.history, this.#current)
  }

  get history(): string {
    return `history ${this.#historyCount}`
  }

  /** The number of the last change. */
  get n(): number {
    return this.#current.records.length - 1
  }

  get records(): ReadonlyMap<string, ReplicaRecord> {
    return this.#current.records.at(-1) ?? new Map()
  }

  maySee = (person: number, project_id: string, n = this.n, of = this.#current): boolean =>
    project_id === OPEN_PROJECT || (of.insiders[n]?.has(person) ?? false)

  create(key: string, fields: FieldValues & { project_id: string }): ReplicaRecord {
    this.#recordCount += 1
    const id = `tsk_${this.#recordCount}_${key.slice(-8)}`
    const record = { ...fields, id, version: 1 }
    this.#commit(record.id, record)
    return record
  }

  /** Applies a mutation once, and repeats its reply afterwards. */
  write(person: number, mutation: Mutation, version: number | undefined): MutationReply {
    const known = this.#replies.get(mutation.key)
    if (known && !this.#defects.forgetsKeys) return { record: known.record, n: undefined }
    const former = mutation.kind === 'create' ? undefined : this.records.get(mutation.id)
    const record = this.#apply(person, mutation, version)
    const { n } = this
    this.#replies.set(mutation.key, { n, record })
    const id = record?.id ?? (mutation.kind === 'create' ? '' : mutation.id)
    this.#onApplied({ mutation, person, history: this.history, n, id, former })
    return { record, n: this.#defects.numbersRepliesTooLow ? 1 : n }
  }

  /** A change that is derived from other records, and moves no version. */
  derive(id: string): void {
    const record = this.records.get(id)
    if (record) this.#commit(id, { ...record, comments: Number(record.comments ?? 0) + 1 })
  }

  /** Somebody writes something that only whole records have. */
  annotate(id: string): void {
    const record = this.records.get(id)
    if (record)
      this.#commit(id, { ...record, note: `note at ${this.n}`, version: record.version + 1 })
  }

  restore(id: string): void {
    const record = this.deleted.get(id)
    if (!record) return
    this.deleted.delete(id)
    this.#commit(id, { ...record, version: record.version + 1 })
  }

  /** Allows or forbids a person the private project. */
  changeRights(person: number): void {
    const insiders = new Set(this.#current.insiders.at(-1))
    if (!insiders.delete(person)) insiders.add(person)
    this.#current.records.push(this.records)
    this.#current.insiders.push(insiders)
    if (!this.#defects.concealsRights)
      this.#log({ op: 'reset', project_id: PRIVATE_PROJECT }, person)
    this.#notify()
  }

  /** Puts a backup in place of everything. */
  restoreBackup(): void {
    const n = Math.floor(this.#random() * this.n)
    const { records, insiders, log } = this.#current
    if (!this.#defects.keepsHistory) this.#historyCount += 1
    this.#current = {
      records: records.slice(0, n + 1),
      insiders: insiders.slice(0, n + 1),
      log: log.filter((one) => one.n <= n),
    }
    this.histories.set(this.history, this.#current)
    this.deleted.clear()
    for (const [key, reply] of this.#replies) if (reply.n > n) this.#replies.delete(key)
  }

  /** Single records, as of at least the number of the reply. */
  read(person: number, ids: readonly string[]): ChangePosition & { changes: ReplicaChange[] } {
    const changes = ids.flatMap((id): ReplicaChange[] => {
      const record = this.records.get(id)
      return record && this.maySee(person, record.project_id) ? [{ op: 'put', record }] : []
    })
    // Another write may have been committed between the reads of the number and of the records.
    const lag = this.#random() < 0.2 ? 1 : 0
    return { history: this.history, n: Math.max(0, this.#mislabel(this.n) - lag), changes }
  }

  /** A page of a search, as of some changes ago. */
  search(person: number, status: unknown, lag: number): { n: number; records: ReplicaRecord[] } {
    const n = Math.max(0, this.n - lag)
    const scope = { name: 'search', includes: (record: ReplicaRecord) => record.status === status }
    const records = this.findRecords(person, scope, this.history, n)
    const surplus = this.#defects.numbersSearchesTooHigh ? 1 : 0
    return { n: this.#mislabel(n) + surplus, records: records.map(toRow) }
  }

  /** A scope as of some changes ago. */
  load(
    person: number,
    scope: ModelScope,
    since: ChangePosition | undefined,
    lag: number,
  ): { head: ScopeHead; changes: ReplicaChange[] } {
    const n = Math.max(0, this.n - lag)
    if (!this.maySee(person, scope.project_id ?? OPEN_PROJECT, n))
      throw new ScopeUnavailableError(n)
    const canGoOn = since?.history === this.history && since.n >= this.oldestPosition
    const head = { history: this.history, n: this.#mislabel(n), isWhole: !canGoOn }
    if (canGoOn)
      return { head, changes: this.#changesBetween(person, since.n, n, scope.project_id) }
    const records = this.findRecords(person, scope, this.history, n)
    return { head, changes: records.map((record) => ({ op: 'put', record: toRow(record) })) }
  }

  /** A record at a number of the present history. */
  findRecord = (id: string, n: number): ReplicaRecord | undefined =>
    this.#current.records[n]?.get(id)

  /** The records of a scope at a number. */
  findRecords(person: number, scope: ModelScope, history: string, n: number): ReplicaRecord[] {
    const of = this.histories.get(history)
    return [...(of?.records[n]?.values() ?? [])].filter(
      (record) => this.maySee(person, record.project_id, n, of) && scope.includes(record),
    )
  }

  /** What happened after a number; from a position that is too old, nothing but the present number. */
  streamAfter(person: number, position: ChangePosition | undefined): StreamBatch {
    const { history, n } = this
    const canGoOn =
      position?.history === history && position.n >= this.oldestPosition && position.n <= n
    const after = canGoOn ? position.n : n
    const changes = this.#changesBetween(person, after, n, undefined)
    const losesOne = this.#defects.losesStreamedChanges && this.#random() < 0.2
    return { history, after, n, changes: losesOne ? changes.slice(1) : changes }
  }

  #mislabel = (n: number): number => (this.#defects.numbersTooHigh ? n + 1 : n)

  #changesBetween(
    person: number,
    after: number,
    n: number,
    project_id: string | undefined,
  ): ReplicaChange[] {
    const records = this.#current.records[n]
    const isVisible = (one: string) =>
      (project_id ?? one) === one &&
      (this.#defects.streamsPrivateProjects || this.maySee(person, one, n))
    const between = this.#current.log.filter((one) => one.n > after && one.n <= n)
    return between.flatMap(({ change, n: at, person: concerned }): ReplicaChange[] => {
      if (change.op === 'reset') return (concerned ?? person) === person ? [change] : []
      if (change.op === 'delete') return isVisible(change.project_id) ? [change] : []
      const isLast = !between.some(
        (one) => one.n > at && one.change.op === 'put' && one.change.record.id === change.record.id,
      )
      const record = records?.get(change.record.id)
      return isLast && record && isVisible(record.project_id) ? [{ op: 'put', record }] : []
    })
  }

  #apply(
    person: number,
    mutation: Mutation,
    version: number | undefined,
  ): ReplicaRecord | undefined {
    if (mutation.kind === 'create') {
      const { record } = mutation
      this.#assertAccepted(person, record)
      return this.create(mutation.key, record)
    }
    const record = this.records.get(mutation.id)
    if (!record || !this.maySee(person, record.project_id))
      throw new RequestRefusedError(404, 'not found')
    if (version !== record.version && !this.#defects.ignoresVersions)
      throw new RequestRefusedError(412, 'another version')
    if (mutation.kind === 'delete') {
      this.deleted.set(record.id, record)
      this.#commit(record.id, undefined)
      return undefined
    }
    const changed = { ...record, ...mutation.patch }
    this.#assertAccepted(person, changed)
    if (isEqualJson(changed, record)) return record
    const written = { ...changed, version: record.version + 1 }
    this.#commit(record.id, written)
    return written
  }

  #assertAccepted(person: number, { title, project_id, parent_id }: ReplicaRecord): void {
    if (!this.maySee(person, project_id)) throw new RequestRefusedError(404, 'no such project')
    if (String(title).startsWith(REFUSED_TITLE)) throw new RequestRefusedError(422, 'refused')
    if (typeof parent_id === 'string' && !/^tsk_/.test(parent_id))
      throw new RequestRefusedError(422, 'a temporary id is no parent')
  }

  #commit(id: string, record: ReplicaRecord | undefined): void {
    const former = this.records.get(id)
    const records = new Map(this.records)
    if (record) records.set(id, record)
    else records.delete(id)
    this.#current.records.push(records)
    this.#current.insiders.push(this.#current.insiders.at(-1) ?? new Set())
    if (former && former.project_id !== record?.project_id)
      this.#log({ op: 'delete', id, project_id: former.project_id })
    if (record) this.#log({ op: 'put', record })
    this.#notify()
  }

  #log(change: ReplicaChange, person?: number): void {
    this.#current.log.push({ n: this.n, change, person })
  }

  #notify(): void {
    for (const listener of [...this.listeners]) listener()
  }
}

/** As lists have it: without what only whole records have. */
function toRow({ note: _, ...row }: ReplicaRecord): ReplicaRecord {
  return row
}

/** Whether a record or a row shows a state of the server. */
export const isStateOf = (record: ReplicaRecord, whole: ReplicaRecord | undefined): boolean =>
  whole !== undefined &&
  Object.keys({ ...whole, ...record }).every(
    (field) =>
      isEqualJson(record[field], whole[field]) ||
      (field === 'note' && !Object.hasOwn(record, field)),
  )
