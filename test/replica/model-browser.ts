import { type ListRules, ListView } from '../../web/src/replica/list-view.ts'
import {
  type ChangePosition,
  LocalReplica,
  type ReplicaDeps,
  type ScopeCopy,
  type StreamBatch,
} from '../../web/src/replica/local-replica.ts'
import {
  type ModelFields,
  type ModelScope,
  ModelServer,
  type ModelTask,
  OPEN_PROJECT,
  PRIVATE_PROJECT,
} from './model-server.ts'
import { ReplicaJudge } from './replica-judge.ts'
import { VirtualTime } from './virtual-time.ts'

/** Somebody who is signed in to a workspace. */
export interface ModelSession {
  readonly server: ModelServer
  readonly person: number
}

/** Most of what can go wrong with a request, by its share. */
const LOST_REQUESTS = 0.08
const LOST_REPLIES = 0.08
const DOUBLED_REQUESTS = 0.05
const LATE_REPLIES = 0.1
const CUT_REPLIES = 0.05
const MAX_STANDBY_LAG = 4
const MAX_RETRY_MS = 8_000

/** A browser with one page, what it stores, and the servers of two workspaces. */
export class ModelBrowser {
  readonly random: () => number
  readonly time = new VirtualTime()
  readonly faults: string[] = []
  readonly sessions: readonly [ModelSession, ...ModelSession[]]
  isOnline = true
  page: ModelPage
  readonly copies = new Map<string, ScopeCopy<ModelTask>>()

  constructor(random: () => number) {
    this.random = random
    const server = new ModelServer('a', random)
    const session = { server, person: 1 }
    const otherWorkspace = { server: new ModelServer('b', random), person: 1 }
    this.sessions = [session, { server, person: 2 }, otherWorkspace]
    this.page = new ModelPage(this, session)
  }

  chance = (share: number): boolean => this.random() < share

  pick = <T>(from: readonly [T, ...T[]]): T =>
    from[Math.floor(this.random() * from.length)] ?? from[0]

  pickId = (tasks: Iterable<ModelTask>): string | undefined => {
    const all = [...tasks]
    return all[Math.floor(this.random() * all.length)]?.id
  }

  pass(ms: number): Promise<void> {
    return this.time.pass(ms, () => this.page.judge.checkStep())
  }

  /** Opens another page in place of the present one, which ends as in a crash. */
  openPage(session: ModelSession): void {
    this.page.close()
    this.page = new ModelPage(this, session)
  }

  goOnline(isOnline: boolean): void {
    this.isOnline = isOnline
    if (!isOnline) this.page.breakStream()
  }

  /** Where the copy of a scope is stored. */
  copyKey = ({ server, person }: ModelSession, { name }: ModelScope): string =>
    `${server.name} ${person} ${name}`
}

const LIST_RULES: ListRules<ModelTask, string> = {
  place: ({ status, title, comments, owner }) => {
    if (status === 'done') return undefined
    const groupKeys = owner === null ? [status] : [status, `owner ${owner}`]
    return { groupKeys, sortKey: title, amounts: [1, comments] }
  },
  compareSortKeys: (a, b) => (a === b ? 0 : a < b ? -1 : 1),
}

/** What the web app does with a replica and a list, over a network and a storage with faults. */
export class ModelPage {
  readonly replica: LocalReplica<ModelTask>
  readonly list = new ListView(LIST_RULES, [])
  session: ModelSession
  scopes: ReturnType<typeof listScopes>
  readonly judge: ReplicaJudge
  isInteracting = false
  /** Tasks that the person has changed, so that their rows do not wait. */
  readonly ownIds = new Set<string>()
  /** Tasks that may have changed here since the last judgement. */
  readonly changedIds = new Set<string>()
  /** Scopes whose changes the replica has announced since then. */
  readonly changedScopes = new Set<string>()
  /** The history of the last batch of the stream. */
  followedHistory: string | undefined
  readonly #browser: ModelBrowser
  #sessionChanges = 0
  #isOpen = true
  #closeStream: () => void = () => undefined

  constructor(browser: ModelBrowser, session: ModelSession) {
    this.#browser = browser
    this.session = session
    this.scopes = listScopes(session)
    this.replica = new LocalReplica<ModelTask>({
      load: this.#load,
      read: async (ids) => {
        const { server, person } = this.session
        return this.#request(() => server.read(person, ids))
      },
      waitToRetry: (failedAttempts) => this.#wait(Math.min(500 * failedAttempts, MAX_RETRY_MS)),
      isNeeded: (id) => this.ownIds.has(id),
      onChange: (ids) => {
        for (const id of ids) this.changedIds.add(id)
        this.#updateList(ids)
      },
      onScopeChange: (name) => this.changedScopes.add(name),
    })
    this.judge = new ReplicaJudge(this, browser.faults)
    // Without boot data the history is unknown, until a copy, a read or the stream begins it.
    if (browser.chance(0.5)) this.#followBootData()
    this.#beginSession()
  }

  close(): void {
    this.#isOpen = false
    this.#closeStream()
  }

  /** The boot data turn out to be of another session than the stored ones, which began a history. */
  changeSession(session: ModelSession): void {
    if (session === this.session || this.replica.history === undefined) return
    this.#sessionChanges += 1
    this.session = session
    this.scopes = listScopes(session)
    for (const name of [...this.replica.scopeNames]) this.replica.release(name)
    this.#followBootData()
    this.#beginSession()
  }

  /** Holds a scope, at first as the browser has stored it. */
  hold(scope: ModelScope): void {
    const { copies, copyKey } = this.#browser
    this.replica.hold(scope, copies.get(copyKey(this.session, scope)))
  }

  storeCopies(): void {
    const { copies, copyKey } = this.#browser
    for (const scope of this.scopes) {
      const copy = this.replica.copyScope(scope.name)
      if (!copy) continue
      copies.set(copyKey(this.session, scope), copy)
      this.judge.checkCopy(scope, copy)
    }
  }

  interact(isInteracting: boolean): void {
    this.isInteracting = isInteracting
    this.#updateList([])
  }

  /** Creates, changes or deletes a task as this person, and takes the reply if it comes. */
  async write(id: string | undefined, fields: ModelFields | undefined): Promise<void> {
    const { server, person } = this.session
    const { history } = this.replica
    if (id !== undefined) this.ownIds.add(id)
    this.#updateList([])
    const send = () => this.#request(() => server.write(person, id, fields))
    const reply = await send().catch(() => undefined)
    if (!reply) return
    // A number of a former history says nothing about the records of this one.
    if (history !== this.replica.history) return this.replica.read([reply.id])
    this.replica.takeReply(reply.change, reply.n)
    this.judge.checkReply([reply.id], reply.n)
  }

  /** Reads a page of a search, which may fail. */
  async search(status: string): Promise<void> {
    const { server, person } = this.session
    const { history } = this.replica
    const load = () => this.#request(() => server.search(person, status, this.#pickLag()))
    const changes = this.#sessionChanges
    const reply = await this.replica.query(load).catch(() => undefined)
    // A reply from before the session changed is not taken, also if it has changed back since.
    if (changes !== this.#sessionChanges) return
    if (reply && reply.history === history && history === this.replica.history)
      this.judge.checkReply(
        reply.records.map(({ id }) => id),
        reply.n,
      )
  }

  /**
   * Opens the stream after a position. What the former one has sent may still arrive, as from a tab
   * that has shared it with this one.
   */
  connect(position: ChangePosition | undefined): void {
    const { time, random, isOnline } = this.#browser
    const { session } = this
    const { server, person } = session
    let sent = position
    let isSending = false
    let arrivesAt = 0
    const send = () => {
      isSending = false
      if (!server.listeners.has(sendSoon)) return
      const batch = server.streamAfter(person, sent)
      sent = batch
      // A stream does not overtake itself.
      arrivesAt = Math.max(arrivesAt + 0.001, time.now + random() * 200)
      this.#later(arrivesAt - time.now, () => this.#follow(session, batch))
    }
    const sendSoon = () => {
      if (!isSending) time.schedule(send, random() * 100)
      isSending = true
    }
    this.#closeStream()
    this.#closeStream = () => server.listeners.delete(sendSoon)
    server.listeners.add(sendSoon)
    if (isOnline) sendSoon()
    else this.breakStream()
  }

  breakStream(): void {
    this.#closeStream()
    this.#connectLater(MAX_RETRY_MS)
  }

  #connectLater(ms: number): void {
    this.#later(this.#browser.random() * ms, () => this.connect(this.replica.position))
  }

  #follow(session: ModelSession, batch: StreamBatch<ModelTask>): void {
    const { isOnline } = this.#browser
    // A backup is restored while the server is stopped, and a stream ends with its session.
    const isPresent = batch.history === session.server.historyOf(session.person)
    if (session !== this.session || !isPresent || !isOnline) return
    this.followedHistory = batch.history
    this.replica.follow(batch)
  }

  #followBootData(): void {
    const { server, person } = this.session
    const position = server.positionFor(person, this.#pickLag())
    this.replica.follow({ ...position, after: position.n, changes: [] })
  }

  #beginSession(): void {
    // Not every page shows all projects.
    for (const scope of this.scopes) if (this.#browser.chance(0.85)) this.hold(scope)
    this.#connectLater(300)
  }

  #load: ReplicaDeps<ModelTask>['load'] = async (scope, since, take) => {
    const { random, chance } = this.#browser
    const { server, person } = this.session
    const lag = this.#pickLag()
    const reply = await this.#request(() => server.load(person, scope, since, lag))
    const { head, changes } = reply
    // All records of a scope arrive in parts.
    const middle = head.isWhole ? Math.floor(random() * changes.length) : 0
    for (const part of [changes.slice(0, middle), changes.slice(middle)]) {
      take(head, part)
      await this.#wait(random() * 50)
      if (chance(CUT_REPLIES)) throw new Error('The connection was cut')
    }
    return head
  }

  /** A request that may be lost, arrive twice, or be answered late or never. */
  #request<T>(handle: () => T): Promise<T> {
    const browser = this.#browser
    const { time, random, chance } = browser
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const fail = () => reject(new Error('No network'))
    const prepareReply = () => {
      try {
        const value = handle()
        return () => resolve(value)
      } catch (error) {
        return () => reject(error)
      }
    }
    const arrive = () => {
      const reply = prepareReply()
      if (chance(DOUBLED_REQUESTS)) time.schedule(prepareReply, random() * 3_000)
      const lateness = chance(LATE_REPLIES) ? 4_000 : 0
      this.#later(random() * 400 + lateness, () =>
        !browser.isOnline || chance(LOST_REPLIES) ? fail() : reply(),
      )
    }
    if (!browser.isOnline || chance(LOST_REQUESTS)) this.#later(random() * 3_000, fail)
    else time.schedule(arrive, random() * 400)
    return promise
  }

  /** By how many changes a standby is behind. */
  #pickLag = (): number => {
    const { random, chance } = this.#browser
    return chance(0.2) ? Math.floor(random() * MAX_STANDBY_LAG) : 0
  }

  /** Nothing happens to a page that is closed. */
  #later(ms: number, run: () => void): void {
    this.#browser.time.schedule(() => this.#isOpen && run(), ms)
  }

  #wait = (ms: number): Promise<void> => new Promise((resolve) => this.#later(ms, resolve))

  #updateList(ids: Iterable<string>): void {
    for (const id of this.list.waitingIds) this.changedIds.add(id)
    this.list.update(ids, this.replica.get, (id) => this.isInteracting && !this.ownIds.has(id))
  }
}

function listScopes({ person }: ModelSession): readonly [ModelScope, ...ModelScope[]] {
  const ofProject = (project_id: string): ModelScope => ({
    name: project_id,
    project_id,
    includes: (task) => task.project_id === project_id,
  })
  const isMine = ({ owner, status }: ModelTask) => owner === person && status !== 'done'
  return [ofProject(OPEN_PROJECT), ofProject(PRIVATE_PROJECT), { name: 'mine', includes: isMine }]
}
