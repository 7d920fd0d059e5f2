import { isDeepStrictEqual } from 'node:util'
import type { ScopeCopy, ScopeState } from '../../web/src/replica/local-replica.ts'
import type { ModelPage, ModelSession } from './model-browser.ts'
import { type ModelScope, type ModelTask, OPEN_PROJECT } from './model-server.ts'

/**
 * Checks the invariants of a page after every step. A fault begins with the number of its invariant:
 *
 * 1. One order: a record contains all changes up to its number, which never falls. The reply to a
 *    write is here, or what has become of the record since.
 * 2. A loaded scope equals the server's records of it at its number, except for what another scope
 *    knows to have changed since; and all records are exact while nothing is loading.
 * 3. A page learns of each change, and a list equals the full computation, except for rows that wait.
 * 4. A stored copy of a scope is no older than its number; opened again, it is caught up until it
 *    equals the server's records, as a page does that was never closed.
 * 5. Nothing that the person may not see, or of another workspace, is in their page.
 */
export class ReplicaJudge {
  readonly #page: ModelPage
  readonly #faults: string[]
  #history: string | undefined
  /** The states of the scopes when they were last judged. */
  #states: ReadonlyMap<string, ScopeState | undefined> = new Map()
  readonly #numbers = new Map<string, number>()
  /** The rows of the list, with those that wait as they were. */
  #rows: ReadonlyMap<string, ModelTask> = new Map()

  constructor(page: ModelPage, faults: string[]) {
    this.#page = page
    this.#faults = faults
  }

  checkStep(): void {
    const { replica, scopes, changedIds } = this.#page
    if (replica.history !== this.#history) this.#numbers.clear()
    this.#history = replica.history
    const hasChangedScopes = this.#checkStates()
    if (!hasChangedScopes && changedIds.size === 0) return
    for (const id of changedIds) this.#checkRecord(id)
    if (this.#isCurrent()) {
      for (const scope of scopes) this.#checkScope(scope)
      if (!replica.isLoading) this.#checkExact()
    }
    this.#checkList()
    changedIds.clear()
  }

  /** Once all is quiet, a page has exactly what the server has. */
  checkQuiet(invariant: number): void {
    const { replica, session, scopes } = this.#page
    const { server, person } = session
    for (const scope of scopes) {
      const state = replica.getScopeState(scope.name)
      if (!state) continue
      const maySee = server.maySee(person, scope.project_id ?? OPEN_PROJECT)
      const isRight = maySee ? state.n === server.n : state.n === undefined
      if (state.mode !== (maySee ? 'loaded' : 'unavailable') || !isRight)
        this.#report(invariant, `${scope.name} is ${state.mode} at ${state.n} of ${server.n}`)
    }
    // What no scope includes is followed as well.
    for (const record of replica.records())
      if (!isStateSince(session, record, server.n, person))
        this.#report(invariant, `${record.id} is outdated once all is quiet`)
  }

  /** What the reply to a request contains is here, or what has become of it since. */
  checkReply(ids: readonly string[], n: number): void {
    if (!this.#isCurrent()) return
    const { replica, session } = this.#page
    const { server, person } = session
    for (const id of ids) {
      const record = replica.get(id)
      const former = server.findRecord(id, n)
      // A person who may not see it any more gets no later state of it.
      const isRight = record
        ? isStateSince(session, record, n) || !server.maySee(person, record.project_id)
        : !former || isChangedBetween(session, former, n, server.n)
      if (!isRight) this.#report(1, `${id} is not here as in the reply of ${n}`)
    }
  }

  /** What has changed since the number of a copy, the next page gets in any case. */
  checkCopy(scope: ModelScope, copy: ScopeCopy<ModelTask>): void {
    const { session } = this.#page
    const { server, person } = session
    const { history, n, records } = copy
    if (history !== server.historyOf(person)) return
    const isChanged = (record: ModelTask) => isChangedBetween(session, record, n, server.n)
    const ids = new Set(records.map(({ id }) => id))
    for (const record of records)
      if (!isStateSince(session, record, n) && !isChanged(record))
        this.#report(4, `the copy of ${record.id} is older than ${n}`)
    for (const record of server.findRecords(person, scope, n))
      if (!ids.has(record.id) && !isChanged(record))
        this.#report(4, `the copy at ${n} lacks ${record.id}`)
  }

  /** Returns whether a scope has another state. */
  #checkStates(): boolean {
    const { replica, scopes, changedScopes } = this.#page
    const states = new Map(scopes.map(({ name }) => [name, replica.getScopeState(name)]))
    let hasChanged = false
    for (const [name, state] of states) {
      const former = this.#states.get(name)
      if (state === former) continue
      hasChanged = true
      const isSilent = state?.mode === former?.mode && state?.error === former?.error
      if (!isSilent && !changedScopes.has(name))
        this.#report(3, `nobody learns that ${name} is ${state?.mode}`)
    }
    this.#states = states
    changedScopes.clear()
    return hasChanged
  }

  #checkRecord(id: string): void {
    const { replica, session } = this.#page
    const { server, person } = session
    const record = replica.get(id)
    const n = replica.getNumber(id) ?? -1
    if (record && !server.couldSee(person, record)) this.#report(5, `${person} has ${id}`)
    // Before the page knows the history, numbers say nothing.
    if (!record || n < 0 || !this.#isCurrent()) {
      this.#numbers.delete(id)
      return
    }
    if (!isStateSince(session, record, n)) this.#report(1, `${id} is older than its number ${n}`)
    else if (!isStateSince(session, record, n, person))
      this.#report(5, `${person} has ${id} at ${n} and may not see it`)
    if (n < (this.#numbers.get(id) ?? 0)) this.#report(1, `the number of ${id} falls to ${n}`)
    this.#numbers.set(id, n)
  }

  #checkScope(scope: ModelScope): void {
    const { replica, session, scopes } = this.#page
    const { server, person } = session
    const { mode, n } = replica.getScopeState(scope.name) ?? {}
    if (mode !== 'loaded' || n === undefined) return
    const newest = Math.max(...scopes.map(({ name }) => replica.getScopeState(name)?.n ?? 0))
    const isGoneSince = (id: string) =>
      numbersFrom(n + 1, server.n).some(
        (at) => !server.findRecords(person, scope, at).some((record) => record.id === id),
      )
    const expected = server.findRecords(person, scope, n)
    for (const record of expected) {
      const { id } = record
      const known = replica.get(id)
      if (isChangedBetween(session, record, n, newest)) continue
      if (!known) {
        if (!isGoneSince(id)) this.#report(2, `${scope.name} lacks ${id} at ${n}`)
      } else if ((replica.getNumber(id) ?? 0) <= n && !isStateSince(session, known, n))
        this.#report(2, `${id} is not in ${scope.name} as it was at ${n}`)
    }
    const ids = new Set(expected.map(({ id }) => id))
    for (const record of replica.records()) {
      const isExpected = !scope.includes(record) || ids.has(record.id)
      if (!isExpected && !isStateSince(session, record, n + 1))
        this.#report(2, `${scope.name} has ${record.id} too much at ${n}`)
    }
  }

  /** While nothing is loading, each record is exact at the position of the stream, or later. */
  #checkExact(): void {
    const { replica, session, followedHistory } = this.#page
    const { position } = replica
    if (!position || followedHistory !== position.history) return
    for (const record of replica.records()) {
      const n = Math.max(position.n, replica.getNumber(record.id) ?? 0)
      if (!isStateSince(session, record, n, session.person))
        this.#report(2, `${record.id} is outdated at ${n}`)
    }
  }

  #checkList(): void {
    const { replica, list, isInteracting, ownIds, changedIds } = this.#page
    const { waitingIds } = list
    if (waitingIds.size > 0 && !isInteracting) this.#report(3, 'rows wait for nobody')
    for (const id of isInteracting ? changedIds : [])
      if (waitingIds.has(id) === ownIds.has(id))
        this.#report(3, `the change of ${id} ${waitingIds.has(id) ? 'waits' : 'is shown'}`)
    const rows = new Map([...replica.records()].map((record) => [record.id, record]))
    for (const id of waitingIds) {
      const former = this.#rows.get(id)
      if (former) rows.set(id, former)
      else rows.delete(id)
    }
    this.#rows = rows
    const groups = [...list.groups].map(([key, group]) => [key, group.rows, group.sums] as const)
    const shown = [list.total, list.sums, groups.sort(([a], [b]) => (a < b ? -1 : 1))]
    const expected = computeList([...rows.values()])
    if (!isDeepStrictEqual(shown, expected))
      this.#report(3, `the list is ${JSON.stringify(shown)} and not ${JSON.stringify(expected)}`)
  }

  /** Until a page learns of a restored backup, its numbers are of two histories. */
  #isCurrent(): boolean {
    const { server, person } = this.#page.session
    return this.#page.replica.history === server.historyOf(person)
  }

  #report(invariant: number, what: string): void {
    this.#faults.push(`${invariant}: ${what}`)
  }
}

const numbersFrom = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)

/** Whether a record is in a state that it had at a number or later, when the person could see it. */
const isStateSince = ({ server }: ModelSession, record: ModelTask, n: number, person?: number) =>
  numbersFrom(n, server.n).some(
    (at) =>
      (person === undefined || server.maySee(person, record.project_id, at)) &&
      isStateOf(record, server.findRecord(record.id, at)),
  )

const ROW_FIELDS = [
  ...(['id', 'project_id', 'version', 'title', 'status', 'owner', 'comments'] as const),
]

/** Whether a record or a row shows a state of the server. */
const isStateOf = (record: ModelTask, state: ModelTask | undefined): boolean =>
  state !== undefined &&
  ROW_FIELDS.every((field) => record[field] === state[field]) &&
  (record.note ?? state.note) === state.note

/** Whether a record, or the right to see it, has changed between two numbers. */
const isChangedBetween = (
  { server, person }: ModelSession,
  { id, project_id }: ModelTask,
  n: number,
  until: number,
): boolean =>
  numbersFrom(n + 1, until).some(
    (at) =>
      !server.maySee(person, project_id, at) ||
      server.findRecord(id, at) !== server.findRecord(id, n),
  )

/** What a list has to show: computed from all records, without any of its code. */
function computeList(tasks: readonly ModelTask[]) {
  const included = tasks.filter(({ status }) => status !== 'done')
  included.sort((a, b) => (`${a.title} ${a.id}` < `${b.title} ${b.id}` ? -1 : 1))
  const keysOf = ({ status, owner }: ModelTask) =>
    owner === null ? [status] : [status, `owner ${owner}`]
  const groups = [...new Set(included.flatMap(keysOf))].sort().map((key) => {
    const rows = included.filter((task) => keysOf(task).includes(key))
    return [key, rows, sumsOf(rows)]
  })
  return [included.length, sumsOf(included), groups]
}

const sumsOf = (rows: readonly ModelTask[]): number[] =>
  rows.length === 0 ? [] : [rows.length, rows.reduce((sum, { comments }) => sum + comments, 0)]
