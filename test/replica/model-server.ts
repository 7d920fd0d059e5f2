import {
  type ChangePosition,
  type ReplicaChange,
  type ReplicaScope,
  ScopeUnavailableError,
  type StreamBatch,
  type VersionedRecord,
} from '../../web/src/replica/local-replica.ts'

/** A task as the model has it: one field for each way in which tasks of the server change. */
export interface ModelTask extends VersionedRecord {
  readonly title: string
  readonly status: string
  readonly owner: number | null
  /** Derived from other records, so it changes without the version. */
  readonly comments: number
  /** Lists leave it out, as they leave out descriptions. */
  readonly note?: string
}

export type ModelFields = Partial<Omit<ModelTask, 'id' | 'version'>>
export type ModelScope = ReplicaScope<ModelTask>
export type ModelChange = ReplicaChange<ModelTask>

/** The workspace as of one change number. */
interface ServerState {
  readonly records: ReadonlyMap<string, ModelTask>
  /** The people who may see the private project. */
  readonly insiders: ReadonlySet<number>
}

interface LoggedChange {
  readonly n: number
  readonly change: ModelChange
  /** The person whom it concerns; undefined for all. */
  readonly person: number | undefined
}

/** All states of a workspace by change number, since a backup was restored. */
interface ServerHistory {
  readonly states: ServerState[]
  readonly log: LoggedChange[]
}

export interface WriteReply {
  readonly id: string
  readonly n: number
  readonly change: ModelChange
}

export const OPEN_PROJECT = 'open'
export const PRIVATE_PROJECT = 'private'
/** Somebody who may see and write everything. */
export const ADMIN = 0

const NEW_TASK = {
  project_id: OPEN_PROJECT,
  version: 0,
  title: 'new',
  status: 'todo',
  owner: null,
  comments: 0,
}

/** A model of the server for one workspace: changes with numbers, versions, rights, and backups. */
export class ModelServer {
  readonly name: string
  readonly listeners = new Set<() => void>()
  readonly #random: () => number
  readonly #histories: ServerHistory[]
  #current: ServerHistory
  #deleted: ModelTask[] = []
  /** Positions before this number are too old to go on from. */
  #oldestPosition = 0
  #restoredBackups = 0
  #createdTasks = 0

  constructor(name: string, random: () => number) {
    this.name = name
    this.#random = random
    const state = { records: new Map(), insiders: new Set([ADMIN, 1, 2]) }
    this.#current = { states: [state], log: [] }
    this.#histories = [this.#current]
    for (const project_id of [OPEN_PROJECT, OPEN_PROJECT, OPEN_PROJECT, PRIVATE_PROJECT])
      this.write(ADMIN, undefined, { project_id })
  }

  /** A history is of one person, so that no page goes on from a position of somebody else. */
  historyOf = (person: number): string => `${this.name} ${this.#restoredBackups} ${person}`

  /** The number of the last change. */
  get n(): number {
    return this.#current.states.length - 1
  }

  get records(): ReadonlyMap<string, ModelTask> {
    return this.#stateAt(this.n).records
  }

  maySee = (person: number, project_id: string, n = this.n): boolean =>
    isVisibleIn(this.#stateAt(n), person, project_id)

  /** Whether a person could see a task at any time, in this history or an earlier one. */
  couldSee = (person: number, { id, project_id }: ModelTask): boolean =>
    this.#histories.some(({ states }) =>
      states.some(
        (state) =>
          state.records.get(id)?.project_id === project_id &&
          isVisibleIn(state, person, project_id),
      ),
    )

  findRecord = (id: string, n: number): ModelTask | undefined => this.#stateAt(n).records.get(id)

  /** The records of a scope at a number. */
  findRecords = (person: number, scope: Pick<ModelScope, 'includes'>, n: number): ModelTask[] =>
    [...this.#stateAt(n).records.values()].filter(
      (record) => this.maySee(person, record.project_id, n) && scope.includes(record),
    )

  /**
   * Creates a task, or changes or deletes one, for a person who has to see its project before and
   * afterwards.
   */
  write(person: number, id: string | undefined, fields: ModelFields | undefined): WriteReply {
    const former = id === undefined ? { ...NEW_TASK, id: this.#nextId() } : this.records.get(id)
    const record = former && fields && { ...former, ...fields, version: former.version + 1 }
    const isVisible = [former, record ?? former].every(
      (task) => task && this.maySee(person, task.project_id),
    )
    if (!former || !isVisible) throw new Error('Not found')
    if (!record) this.#deleted.push(former)
    return this.#commit(former.id, record)
  }

  /** Restores the task that was deleted last. */
  restoreTask(): void {
    const record = this.#deleted.pop()
    if (record) this.#commit(record.id, { ...record, version: record.version + 1 })
  }

  comment(id: string): void {
    const record = this.records.get(id)
    if (record) this.#commit(id, { ...record, comments: record.comments + 1 })
  }

  /** Allows or forbids a person the private project. */
  changeRights(person: number): void {
    const insiders = new Set(this.#stateAt(this.n).insiders)
    if (!insiders.delete(person)) insiders.add(person)
    this.#current.states.push({ records: this.records, insiders })
    this.#log({ op: 'reset', project_id: PRIVATE_PROJECT }, person)
    this.#notify()
  }

  expirePositions(): void {
    this.#oldestPosition = Math.max(0, this.n - 3)
  }

  /** Puts a backup in place of everything. */
  restoreBackup(): void {
    const n = Math.floor(this.#random() * this.n)
    const { states, log } = this.#current
    this.#restoredBackups += 1
    this.#current = { states: states.slice(0, n + 1), log: log.filter((one) => one.n <= n) }
    this.#histories.push(this.#current)
    this.#deleted = []
  }

  /** The last change that a standby has which lags some changes behind. */
  positionFor = (person: number, lag: number): ChangePosition => ({
    history: this.historyOf(person),
    n: Math.max(0, this.n - lag),
  })

  /** Single records, as of at least the number of the reply. */
  read(person: number, ids: readonly string[]) {
    const changes = ids.flatMap((id): ModelChange[] => {
      const record = this.records.get(id)
      return record && this.maySee(person, record.project_id) ? [{ op: 'put', record }] : []
    })
    // Another write may have been committed between the reads of the number and of the records.
    return { ...this.positionFor(person, this.#random() < 0.2 ? 1 : 0), changes }
  }

  /** A page of a search. */
  search(person: number, status: string, lag: number) {
    const position = this.positionFor(person, lag)
    const scope = { includes: (record: ModelTask) => record.status === status }
    return { ...position, records: this.findRecords(person, scope, position.n).map(toRow) }
  }

  /** A scope, or what has changed in it. */
  load(person: number, scope: ModelScope, since: ChangePosition | undefined, lag: number) {
    const { history, n } = this.positionFor(person, lag)
    const { project_id } = scope
    if (!this.maySee(person, project_id ?? OPEN_PROJECT, n)) throw new ScopeUnavailableError(n)
    if (since && this.#canGoOn(person, since)) {
      const head = { history, n, isWhole: false }
      const changes = this.#changesBetween(person, since.n, n, project_id)
      if (changes.some(({ op }) => op === 'reset')) return { head, changes }
      // Many changes come with several replies, of which a later one may take an earlier one back.
      const middle = since.n + Math.floor(this.#random() * Math.max(0, n - since.n))
      const first = this.#changesBetween(person, since.n, middle, project_id)
      return { head, changes: [...first, ...this.#changesBetween(person, middle, n, project_id)] }
    }
    const rows = this.findRecords(person, scope, n).map(toRow)
    const changes = rows.map((record): ModelChange => ({ op: 'put', record }))
    return { head: { history, n, isWhole: true }, changes }
  }

  /** What happened after a number; from a position that is too old, nothing but the present number. */
  streamAfter(person: number, position: ChangePosition | undefined): StreamBatch<ModelTask> {
    const { history, n } = this.positionFor(person, 0)
    const after = position && position.n <= n && this.#canGoOn(person, position) ? position.n : n
    return { history, after, n, changes: this.#changesBetween(person, after, n, undefined) }
  }

  #stateAt(n: number): ServerState {
    return this.#current.states[n] ?? { records: new Map(), insiders: new Set() }
  }

  #canGoOn = (person: number, { history, n }: ChangePosition): boolean =>
    history === this.historyOf(person) && n >= this.#oldestPosition

  #changesBetween(
    person: number,
    after: number,
    n: number,
    project_id: string | undefined,
  ): ModelChange[] {
    const isSent = (of: string) => (project_id ?? of) === of && this.maySee(person, of, n)
    const between = this.#current.log.filter((one) => one.n > after && one.n <= n)
    // A record that has changed several times is sent once, as it is in the end.
    const lastPuts = new Map(
      between.flatMap(({ n: at, change }) => (change.op === 'put' ? [[change.record.id, at]] : [])),
    )
    return between.flatMap(({ n: at, change, person: concerned }): ModelChange[] => {
      if (change.op === 'reset') return (concerned ?? person) === person ? [change] : []
      if (change.op === 'delete') return isSent(change.project_id) ? [change] : []
      const record = this.findRecord(change.record.id, n)
      const isLast = lastPuts.get(change.record.id) === at
      return record && isLast && isSent(record.project_id) ? [{ op: 'put', record }] : []
    })
  }

  #nextId(): string {
    this.#createdTasks += 1
    return `${this.name}${this.#createdTasks}`
  }

  #commit(id: string, record: ModelTask | undefined): WriteReply {
    const { records: formerRecords, insiders } = this.#stateAt(this.n)
    const former = formerRecords.get(id)
    const records = new Map(formerRecords)
    if (record) records.set(id, record)
    else records.delete(id)
    this.#current.states.push({ records, insiders })
    const deletion = { op: 'delete', id, project_id: former?.project_id ?? '' } as const
    // A task that has moved is deleted from the project that it has left, and put in the other one.
    if (record && former && former.project_id !== record.project_id) this.#log(deletion)
    const change: ModelChange = record ? { op: 'put', record } : deletion
    this.#log(change)
    this.#notify()
    return { id, n: this.n, change }
  }

  #log(change: ModelChange, person?: number): void {
    this.#current.log.push({ n: this.n, change, person })
  }

  #notify(): void {
    for (const listener of [...this.listeners]) listener()
  }
}

const isVisibleIn = ({ insiders }: ServerState, person: number, project_id: string): boolean =>
  project_id === OPEN_PROJECT || insiders.has(person)

/** As lists have it: without what only whole records have. */
function toRow({ note: _, ...row }: ModelTask): ModelTask {
  return row
}
