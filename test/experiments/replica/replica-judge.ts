import type { ListView } from '../../../web/src/replica/list-view.ts'
import type { ScopeCopy } from '../../../web/src/replica/local-replica.ts'
import {
  type FieldValues,
  getOrderedIds,
  getTargetId,
  isEqualJson,
  type Mutation,
  type ReplicaRecord,
} from '../../../web/src/replica/mutations.ts'
import type { ReplicaPage } from '../../../web/src/replica/open-replica-page.ts'
import type { PendingMutation } from '../../../web/src/replica/pending-mutation-log.ts'
import type { BrowserTab } from './model-browser.ts'
import { type AppliedWrite, isStateOf, type ModelScope } from './model-server.ts'
import type { ReplicaWorld } from './replica-world.ts'

/** What a person has meant by a mutation, and what has become of it. */
export interface ReplicaIntention {
  readonly mutation: Mutation
  readonly tab: BrowserTab
  /** The values that the person has seen before they set the field. */
  readonly seen: Map<string, unknown[]>
  readonly applied: AppliedWrite[]
  /** Discarded or replaced by the person, or refused without a text that must be kept. */
  isOver: boolean
  /** Taken back, because it had not been sent. */
  isCancelled: boolean
  /** Made on a record that may have been older than what the person had seen, until it was loaded. */
  isOnOldRecord: boolean
  /** The histories that its pages knew when they sent it. */
  readonly sentIn: Set<string | undefined>
  /** Later ones may overtake it since. */
  wasRefused: boolean
}

/** What was known of a tab when it was last judged. */
interface JudgedTab {
  entries: ReadonlyMap<string, PendingMutation>
  log: readonly PendingMutation[]
  numbers: Map<string, number>
  history: string | undefined
  /** The numbers of its scopes. */
  scopes: number
  modes: ReadonlyMap<string, string | undefined>
  shown: ReadonlyMap<string, ReplicaRecord>
  waitingCount: number
}

/**
 * Checks the invariants after every step. A fault begins with the number of its invariant:
 *
 * 1. A record contains all changes up to its number, which never falls.
 * 2. A loaded scope equals the server's records of it at its number, except for what another scope
 *    knows to have changed since; and all records are exact while nothing is loading.
 * 3. A page shows the server's records with the pending mutations applied, and learns of each change.
 * 4. A mutation is stored before it is sent, applied once and in order, and leaves the log in the
 *    step in which the replica has its result.
 * 5. A mutation is applied only to values that the person has seen, and nobody is asked about their own.
 * 6. A list equals the full computation, except for rows that wait.
 * 7. A stored copy of a scope is no older than its number.
 * 8. Nothing that a person may not see is in their page.
 */
export class ReplicaJudge {
  readonly faults: string[] = []
  readonly #world: ReplicaWorld
  readonly #judged = new Map<BrowserTab, JudgedTab>()

  constructor(world: ReplicaWorld) {
    this.#world = world
  }

  checkStep(): void {
    for (const { tabs } of this.#world.browsers) for (const tab of tabs) this.#checkTab(tab)
  }

  checkSending(tab: BrowserTab, mutation: Mutation, version: number | undefined): void {
    const { key, kind } = mutation
    if (kind !== 'create' && !mutation.id.startsWith('tsk_'))
      this.#report(4, `${key} is sent before its record is created`)
    if (this.#world.isRefused(key)) this.#report(4, `${key} is sent again unasked`)
    if (!tab.browser.isEntryStored(key)) this.#report(4, `${key} is sent before it is stored`)
    if (kind !== 'create' && version === undefined)
      this.#report(5, `${key} is sent without a version`)
    const { sentIn, tab: maker } = this.#world.getIntention(key)
    sentIn.add(tab.page?.replica.history)
    const { person } = maker
    if (person !== tab.person) this.#report(8, `${key} of ${person} is sent by ${tab.person}`)
  }

  checkApplied(write: AppliedWrite): void {
    const { mutation, former, history } = write
    const intention = this.#world.getIntention(mutation.key)
    if (intention.applied.some((one) => one.history === history))
      this.#report(4, `${mutation.key} is applied twice`)
    for (const earlier of this.#world.findEarlierIntentions(intention)) {
      if (earlier.tab !== intention.tab) continue
      const isOpen = earlier.applied.length === 0 && !earlier.isOver
      if (isOpen && !earlier.wasRefused)
        this.#report(4, `${mutation.key} is applied before ${earlier.mutation.key}`)
    }
    // After a restored backup another state may have the same version, until the page learns of it.
    const isAware = [...intention.sentIn].every((one) => one === history)
    if (mutation.kind === 'update' && former && isAware) {
      for (const [field, value] of Object.entries(mutation.patch)) {
        const isSeen = this.#findSeen(intention, field).some((one) =>
          isEqualJson(one, former[field]),
        )
        if (!isSeen && !isEqualJson(value, former[field]))
          this.#report(5, `${mutation.key} overwrites ${field} ${former[field]} unseen`)
      }
    }
    if (intention.isCancelled) this.#report(4, `${mutation.key} is applied and was cancelled`)
    intention.applied.push(write)
  }

  checkCopy(tab: BrowserTab, name: string, copy: ScopeCopy | undefined): void {
    const scope = tab.scopes.find((one) => one.name === name)
    if (!copy || !scope || copy.history !== this.#world.server.history) return
    const byId = new Map(copy.records.map((record) => [record.id, record]))
    // What has changed since, the next page gets in any case.
    const { n } = this.#world.server
    const isChanged = ({ id, project_id }: ReplicaRecord) =>
      this.#isChangedSince(tab.person, id, project_id, copy.n, n)
    for (const record of copy.records)
      if (!this.#isStateSince(record, copy.n) && !isChanged(record))
        this.#report(7, `the copy of ${record.id} is older than ${copy.n}`)
    for (const record of this.#findRecords(tab, scope, copy.n))
      if (!byId.has(record.id) && !isChanged(record))
        this.#report(7, `the copy at ${copy.n} lacks ${record.id}`)
  }

  /** What a search has found is here, unless it has changed since. */
  checkSearch(
    { person }: BrowserTab,
    { replica }: ReplicaPage,
    n: number,
    records: readonly ReplicaRecord[],
  ): void {
    const { server } = this.#world
    if (replica.isLoading || server.histories.size > 1) return
    for (const { id, project_id } of records)
      if (!replica.get(id) && !this.#isChangedSince(person, id, project_id, n, server.n))
        this.#report(2, `${id} is not here and was found at ${n}`)
  }

  /** Once all is quiet, every page shows what the server has, and nothing is forgotten. */
  checkEnd(): void {
    for (const { tabs } of this.#world.browsers) {
      for (const tab of tabs) {
        const { page } = tab
        if (page) this.#checkFinalPage(tab, page)
      }
    }
    for (const { storedKeys } of this.#world.browsers)
      for (const key of storedKeys)
        if (!this.#world.findEntry(key)) this.#report(4, `${key} is still stored`)
    for (const intention of this.#world.intentions.values()) {
      const { mutation, applied, isOver } = intention
      if (applied.length > 0 || isOver || this.#world.isUnstored(intention)) continue
      const entry = this.#world.findEntry(mutation.key)
      if (!entry && !this.#world.isEntryStored(mutation.key))
        this.#report(4, `${mutation.key} (${mutation.kind}) is lost`)
    }
  }

  #checkFinalPage(tab: BrowserTab, page: ReplicaPage): void {
    const { server } = this.#world
    for (const scope of tab.scopes) {
      const state = page.replica.getScopeState(scope.name)
      if (!state) continue
      const maySee = server.maySee(tab.person, scope.project_id ?? 'open')
      const wanted = maySee ? 'loaded' : 'unavailable'
      if (state?.mode !== wanted) this.#report(2, `${scope.name} is ${state?.mode} in the end`)
      if (maySee && state?.n !== server.n)
        this.#report(2, `${scope.name} is at ${state?.n} of ${server.n} in the end`)
    }
    // What no scope includes is followed as well.
    for (const record of page.replica.records()) {
      const isExact =
        server.maySee(tab.person, record.project_id) &&
        isStateOf(record, server.records.get(record.id))
      if (!isExact) this.#report(2, `${record.id} is outdated in the end`)
    }
    for (const { mutation, mode } of page.log.entries) {
      if (!isEqualJson(tab.browser.findStored(mutation.key), mutation))
        this.#report(4, `${mutation.key} is stored as it was`)
      const at = page.log.entries.findIndex((one) => one.mutation === mutation)
      const isBlocked = page.log.entries
        .slice(0, at)
        .some(
          (earlier) =>
            (earlier.refusal === undefined || earlier.mutation.kind === 'create') &&
            getOrderedIds(earlier.mutation).some((id) => getOrderedIds(mutation).includes(id)),
        )
      if (mode === 'asking' || mode === 'unsaved') continue
      if (!isBlocked) this.#report(4, `${mutation.key} is ${mode} for ever`)
    }
  }

  #checkTab(tab: BrowserTab): void {
    const { page } = tab
    if (!page) return
    const { replica, log } = page
    const judged = this.#getJudged(tab)
    let scopes = 0
    for (const { name } of tab.scopes)
      scopes = scopes * 1_000 + (replica.getScopeState(name)?.n ?? 999)
    if (tab.changedIds.size === 0 && judged.log === log.entries && judged.scopes === scopes) return
    if (judged.history !== replica.history) judged.numbers.clear()
    // Until a page learns of a restored backup, it has replies of two histories.
    const isCurrent = replica.history === this.#world.server.history
    if (isCurrent) {
      for (const id of tab.changedIds) this.#checkRecord(tab, page, id, judged)
      for (const scope of tab.scopes) this.#checkScope(tab, page, scope)
      this.#checkExact(tab, page)
    }
    this.#checkModes(tab, page, judged)
    if (tab.changedIds.size > 0) this.#checkShown(tab, page, judged)
    if (judged.log !== log.entries) this.#checkLog(tab, page, judged, isCurrent)
    tab.changedIds = new Set()
    Object.assign(judged, { history: replica.history, scopes, log: log.entries })
  }

  #checkRecord(tab: BrowserTab, { replica }: ReplicaPage, id: string, judged: JudgedTab): void {
    const { server } = this.#world
    const record = replica.get(id)
    const n = replica.getNumber(id)
    // Before the page knows the history, numbers say nothing.
    if (!record || n === undefined || n < 0) {
      judged.numbers.delete(id)
      return
    }
    if (!this.#isStateSince(record, n)) this.#report(1, `${id} is older than its number ${n}`)
    if (n < (judged.numbers.get(id) ?? 0)) this.#report(1, `the number of ${id} falls to ${n}`)
    judged.numbers.set(id, n)
    const numbers = Array.from({ length: server.n - n + 1 }, (_, at) => n + at)
    if (!numbers.some((at) => server.maySee(tab.person, record.project_id, at)))
      this.#report(8, `${tab.person} has ${id} of a private project`)
  }

  #checkScope(tab: BrowserTab, { replica }: ReplicaPage, scope: ModelScope): void {
    const state = replica.getScopeState(scope.name)
    if (state?.mode !== 'loaded' || state.n === undefined) return
    const { n } = state
    const expected = new Set<string>()
    const newest = Math.max(...tab.scopes.map(({ name }) => replica.getScopeState(name)?.n ?? 0))
    for (const record of this.#findRecords(tab, scope, n)) {
      expected.add(record.id)
      const known = replica.get(record.id)
      if (this.#isChangedSince(tab.person, record.id, record.project_id, n, newest)) continue
      if (known) {
        if ((replica.getNumber(record.id) ?? 0) <= n && !this.#isStateSince(known, n))
          this.#report(2, `${record.id} is not in ${scope.name} as it was at ${n}`)
      } else if (!this.#isGoneSince(tab, scope, record.id, n))
        this.#report(2, `${scope.name} lacks ${record.id} at ${n}`)
    }
    for (const record of replica.records()) {
      if (!scope.includes(record) || expected.has(record.id)) continue
      if (!this.#isStateSince(record, n + 1))
        this.#report(2, `${scope.name} has ${record.id} too much at ${n}`)
    }
  }

  /** While nothing is loading, each record is exact at the position of the stream, or later. */
  #checkExact({ person, followedHistory }: BrowserTab, { replica }: ReplicaPage): void {
    const { position } = replica
    if (replica.isLoading || !position || followedHistory !== position.history) return
    for (const record of replica.records()) {
      const n = Math.max(position.n, replica.getNumber(record.id) ?? 0)
      if (!this.#isStateSince(record, n, person))
        this.#report(2, `${record.id} is outdated at ${n}`)
    }
  }

  #checkModes(tab: BrowserTab, { replica }: ReplicaPage, judged: JudgedTab): void {
    const describeState = (name: string) => {
      const state = replica.getScopeState(name)
      return state && `${state.mode} ${state.error}`
    }
    const modes = new Map(tab.scopes.map(({ name }) => [name, describeState(name)]))
    for (const [name, mode] of modes) {
      if (mode !== judged.modes.get(name) && !tab.changedScopes.has(name))
        this.#report(3, `nobody learns that ${name} is ${mode}`)
    }
    judged.modes = modes
    tab.changedScopes.clear()
  }

  #checkShown(tab: BrowserTab, page: ReplicaPage, judged: JudgedTab): void {
    const records = new Map<string, ReplicaRecord>()
    for (const record of page.replica.records()) records.set(record.id, record)
    for (const { mutation } of page.log.entries) {
      const id = getTargetId(mutation)
      const record = records.get(id)
      if (mutation.kind === 'create') records.set(id, mutation.record)
      else if (mutation.kind === 'delete') records.delete(id)
      else if (record) records.set(id, { ...record, ...mutation.patch })
    }
    const shown = new Map(page.getRecords().map((record) => [record.id, record]))
    if (shown.size !== records.size) this.#report(3, `${shown.size} of ${records.size} are shown`)
    let isSame = shown.size === judged.shown.size
    for (const [id, record] of records) {
      if (!isEqualJson(shown.get(id), record)) this.#report(3, `${id} is shown otherwise`)
      isSame &&= shown.get(id) === judged.shown.get(id)
    }
    judged.shown = shown
    if (!tab.list) return
    const { view } = tab.list
    if (isSame && view.waitingIds.size === judged.waitingCount) return
    judged.waitingCount = view.waitingIds.size
    const keysInIds = [...records.keys()].map((id) => id.slice(-8))
    if (new Set(keysInIds).size < keysInIds.length) this.#report(3, 'a new task is shown twice')
    this.#checkList(tab, view, records)
  }

  #checkList(
    tab: BrowserTab,
    view: ListView<ReplicaRecord, string>,
    records: ReadonlyMap<string, ReplicaRecord>,
  ): void {
    const { waitingIds } = view
    if (waitingIds.size > 0 && !tab.isInteracting) this.#report(6, 'rows wait for nobody')
    for (const id of waitingIds)
      if (tab.page?.log.getMutations(id).length) this.#report(6, `the own change of ${id} waits`)
    const expected = computeList([...records.values()], waitingIds)
    const actual = [...view.groups].flatMap(([key, { rows, sums }]) => {
      const settled = rows.filter(({ id }) => !waitingIds.has(id))
      return settled.length === 0 ? [] : [describeGroup(key, settled, sums, waitingIds)]
    })
    const total = `${view.total} ${view.sums.join()}`
    const list = [...actual.sort(), waitingIds.size === 0 ? total : ''].join('; ')
    if (list !== expected) this.#report(6, `the list is ${list} and not ${expected}`)
  }

  #checkLog(tab: BrowserTab, page: ReplicaPage, judged: JudgedTab, isCurrent: boolean): void {
    const entries = new Map(page.log.entries.map((one) => [one.mutation.key, one]))
    for (const [key, former] of judged.entries)
      if (!entries.has(key)) this.#checkRemoved(tab, page, former, isCurrent)
    for (const [key, { refusal }] of entries)
      if (refusal !== undefined) this.#world.getIntention(key).wasRefused = true
    for (const [key, { mode }] of entries)
      if (mode === 'asking' && judged.entries.get(key)?.mode !== 'asking')
        this.#checkQuestion(page, entries.get(key))
    judged.entries = entries
  }

  #checkRemoved(
    tab: BrowserTab,
    page: ReplicaPage,
    { mutation }: PendingMutation,
    isCurrent: boolean,
  ): void {
    const { server } = this.#world
    const intention = this.#world.getIntention(mutation.key)
    if (intention.isOver) return
    const applied = intention.applied.at(-1)
    if (!applied) {
      const isGone = mutation.kind === 'delete' && !page.replica.get(mutation.id)
      if (isGone || this.#world.isReplaced(intention)) intention.isOver = true
      else this.#report(4, `${mutation.key} (${mutation.kind}) leaves the log unsent`)
      return
    }
    if (!isCurrent || applied.history !== server.history) return
    const record = page.replica.get(applied.id)
    if (record) {
      // Who may not see it any more gets no further state of it.
      const isVisible = server.maySee(tab.person, record.project_id)
      if (isVisible && !this.#isStateSince(record, applied.n))
        this.#report(4, `${mutation.key} leaves the log before its result is there`)
    } else if (mutation.kind !== 'delete') {
      const { project_id = '' } = server.findRecord(applied.id, applied.n) ?? {}
      if (!this.#isChangedSince(tab.person, applied.id, project_id, applied.n, server.n))
        this.#report(4, `${mutation.key} leaves the log and its record is not there`)
    }
  }

  /** Nobody is asked about what they have set themselves. */
  #checkQuestion(page: ReplicaPage, entry: PendingMutation | undefined): void {
    if (entry?.mutation.kind !== 'update' || this.#world.server.histories.size > 1) return
    const { id, key } = entry.mutation
    const base = page.replica.get(id)
    const intention = this.#world.getIntention(key)
    if (intention.isOnOldRecord) return
    if (intention.applied.length > 0) this.#report(5, `${key} asks and is applied`)
    for (const field of entry.conflict) {
      const known = [...this.#findSeen(intention, field), entry.mutation.patch[field]]
      // Only titles are unique: another person may set the same status once more.
      if (field === 'title' && known.some((value) => isEqualJson(value, base?.[field])))
        this.#report(5, `${key} asks about ${base?.[field]}, which they know`)
      const writer = this.#world.findWriter(id, field, base?.[field])
      const isOwn = writer === intention || (writer && writer.tab === intention.tab)
      if (isOwn) this.#report(5, `${key} asks about the own ${field} ${base?.[field]}`)
    }
  }

  #findSeen(intention: ReplicaIntention, field: string): unknown[] {
    const seen = [...(intention.seen.get(field) ?? [])]
    // What they saw may have been an earlier change of theirs that was never applied.
    for (const earlier of this.#world.findEarlierIntentions(intention)) {
      const { mutation } = earlier
      if (earlier.applied.length > 0 || mutation.kind !== 'update' || !(field in mutation.patch))
        continue
      if (seen.some((value) => isEqualJson(value, mutation.patch[field])))
        seen.push(...this.#findSeen(earlier, field))
    }
    return seen
  }

  /** Whether a record is in a state that it had after a number, when the person might see it. */
  #isStateSince(record: ReplicaRecord, n: number, person?: number): boolean {
    const { server } = this.#world
    for (let at = n; at <= server.n; at++) {
      const isVisible = person === undefined || server.maySee(person, record.project_id, at)
      if (isVisible && isStateOf(record, server.findRecord(record.id, at))) return true
    }
    return false
  }

  /** Whether a record, or the right to see it, has changed between two numbers. */
  #isChangedSince(
    person: number,
    id: string,
    project_id: string,
    n: number,
    until: number,
  ): boolean {
    const { server } = this.#world
    const former = server.findRecord(id, n)
    for (let at = n + 1; at <= until; at++)
      if (!server.maySee(person, project_id, at) || server.findRecord(id, at) !== former)
        return true
    return false
  }

  #isGoneSince(tab: BrowserTab, scope: ModelScope, id: string, n: number): boolean {
    const { server } = this.#world
    for (let at = n + 1; at <= server.n; at++)
      if (!this.#findRecords(tab, scope, at).some((record) => record.id === id)) return true
    return false
  }

  #findRecords(tab: BrowserTab, scope: ModelScope, n: number): ReplicaRecord[] {
    const { server } = this.#world
    return server.findRecords(tab.person, scope, server.history, n)
  }

  #getJudged(tab: BrowserTab): JudgedTab {
    const known = this.#judged.get(tab)
    if (known) return known
    const judged = {
      entries: new Map(),
      log: [],
      numbers: new Map(),
      history: undefined,
      scopes: 0,
      modes: new Map(),
      shown: new Map(),
      waitingCount: 0,
    }
    this.#judged.set(tab, judged)
    return judged
  }

  #report(invariant: number, what: string): void {
    this.faults.push(`${invariant}: ${what}`)
  }
}

/** What a list has to show: computed from all records, without any of its code. */
function computeList(records: readonly ReplicaRecord[], waitingIds: ReadonlySet<string>): string {
  const included = records.filter(({ id, status }) => status !== 'done' && !waitingIds.has(id))
  included.sort((a, b) => (titleAndId(a) < titleAndId(b) ? -1 : 1))
  const groups = new Map<string, ReplicaRecord[]>()
  for (const record of included) {
    const keys = [
      String(record.status),
      ...(record.owner === null ? [] : [`owner ${record.owner}`]),
    ]
    for (const key of keys) groups.set(key, [...(groups.get(key) ?? []), record])
  }
  const texts = [...groups].map(([key, rows]) => describeGroup(key, rows, sumsOf(rows), waitingIds))
  const total = `${included.length} ${sumsOf(included).join()}`
  return [...texts.sort(), waitingIds.size === 0 ? total : ''].join('; ')
}

const titleAndId = ({ title, id }: ReplicaRecord): string => `${title} ${id}`

const sumsOf = (rows: readonly ReplicaRecord[]): number[] =>
  rows.length === 0
    ? []
    : [rows.length, rows.reduce((sum, { comments }) => sum + Number(comments ?? 0), 0)]

/** A group with its rows, and with its sums if no row waits. */
const describeGroup = (
  key: string,
  rows: readonly ReplicaRecord[],
  sums: readonly number[],
  { size }: ReadonlySet<string>,
): string => `${key}: ${rows.map(titleAndId).join()} ${size === 0 ? sums.join() : ''}`

/** The values of some fields of a record. */
export const readFieldValues = (record: ReplicaRecord | undefined, of: FieldValues): FieldValues =>
  Object.fromEntries(Object.keys(of).map((field) => [field, record?.[field]]))
