import type {
  ChangePosition,
  ReplicaChange,
  ScopeCopy,
  StreamBatch,
} from '../../../web/src/replica/local-replica.ts'
import type { Mutation } from '../../../web/src/replica/mutations.ts'
import {
  openReplicaPage,
  type PageList,
  type PageStorage,
  type PageTransport,
  type ReplicaPage,
} from '../../../web/src/replica/open-replica-page.ts'
import type { StoredPendingMutation } from '../../../web/src/replica/pending-mutation-log.ts'
import { type ModelScope, type ModelServer, OPEN_PROJECT, PRIVATE_PROJECT } from './model-server.ts'
import type { ReplicaWorld } from './replica-world.ts'

/** Defects that a control puts into the browser. */
export interface BrowserDefects {
  /** Says that an entry is stored before it is. */
  confirmsTooEarly?: boolean
  losesEntriesOnCrash?: boolean
  /** Forgets in which order entries were made. */
  forgetsOrder?: boolean
  /** Stores the number of a scope, but the records of the copy before. */
  tearsCopies?: boolean
  /** Keeps the data of all persons in one place. */
  sharesStorage?: boolean
  /** Lists order their rows in another way each time. */
  ordersAtRandom?: boolean
  /** A screen writes into a record that it shows. */
  writesIntoRecords?: boolean
}

/** What the browser stores for one person. */
interface StoredData {
  readonly entries: Map<string, { entry: StoredPendingMutation; tab: BrowserTab }>
  readonly copies: Map<string, ScopeCopy>
}

/** Most of what can go wrong with a request, by its share. */
const LOST_REQUESTS = 0.08
const LOST_REPLIES = 0.08
const DOUBLED_REQUESTS = 0.05
const LATE_REPLIES = 0.1
const MAX_STANDBY_LAG = 4

/** A browser with up to two tabs, whose person may change. */
export class ModelBrowser {
  readonly world: ReplicaWorld
  person: number
  isOnline = true
  tabs: BrowserTab[] = []
  readonly #stored = new Map<number, StoredData>()

  constructor(world: ReplicaWorld, person: number) {
    this.world = world
    this.person = person
  }

  get stored(): StoredData {
    const owner = this.world.defects.sharesStorage ? 0 : this.person
    const known = this.#stored.get(owner)
    if (known) return known
    const data = { entries: new Map(), copies: new Map() }
    this.#stored.set(owner, data)
    return data
  }

  /** All entries that this browser stores, of whomever. */
  isEntryStored(key: string): boolean {
    return [...this.#stored.values()].some(({ entries }) => entries.has(key))
  }

  /** A mutation as it is stored for the present person. */
  findStored = (key: string): Mutation | undefined => this.stored.entries.get(key)?.entry.mutation

  get storedKeys(): string[] {
    return [...this.stored.entries.keys()]
  }

  openTab(): void {
    const tab = new BrowserTab(this)
    this.tabs.push(tab)
    tab.open()
  }

  /** The tab that is looked at takes the stream from the others. */
  lookAt(tab: BrowserTab): void {
    for (const other of this.tabs) if (other !== tab) other.page?.stopLeading()
    tab.page?.lead()
  }

  closeTab(tab: BrowserTab, isCrash: boolean): void {
    tab.close(isCrash)
    this.tabs = this.tabs.filter((other) => other !== tab)
    const [next] = this.tabs
    if (next) this.lookAt(next)
  }

  goOnline(isOnline: boolean): void {
    this.isOnline = isOnline
    for (const { page } of this.tabs) if (isOnline) page?.log.retryFailed()
    if (!isOnline) this.breakStreams()
  }

  breakStreams(): void {
    for (const tab of this.tabs) tab.breakStream()
  }
}

/** A tab: what a page needs of a browser, with its faults. */
export class BrowserTab {
  readonly browser: ModelBrowser
  readonly person: number
  readonly scopes: readonly ModelScope[]
  page: ReplicaPage | undefined
  list: PageList<string> | undefined
  isOpen = true
  isInteracting = false
  /** The record that a panel shows; it may have been opened by a temporary id. */
  openedId: string | undefined
  /** Records that have changed since they were last judged. */
  changedIds = new Set<string>()
  changedScopes = new Set<string>()
  /** The history of the last batch of the stream. */
  followedHistory: string | undefined
  /** The outcome of each write to the storage depends on the end of the page. */
  #unfinishedWrites: (() => void)[] = []
  /** Entries that a crash has lost, because it came within milliseconds. */
  readonly unstoredKeys = new Set<string>()
  #lastWriteAt = 0
  #lastShareAt = 0
  #breakStream: () => void = () => undefined

  constructor(browser: ModelBrowser) {
    this.browser = browser
    this.person = browser.person
    const ofProject = (project_id: string): ModelScope => ({
      name: project_id,
      project_id,
      includes: (record) => record.project_id === project_id,
    })
    const mine: ModelScope = {
      name: 'mine',
      includes: ({ owner, status }) => owner === this.person && status !== 'done',
    }
    this.scopes = [ofProject(OPEN_PROJECT), ofProject(PRIVATE_PROJECT), mine]
  }

  get #world(): ReplicaWorld {
    return this.browser.world
  }

  open(): void {
    void openReplicaPage({
      transport: this.#transport,
      storage: this.#storage,
      shareBatch: (batch) => this.#share(batch),
      schedule: (run, ms) => this.#world.time.schedule(() => this.isOpen && run(), ms),
      canSend: () => this.isOpen && this.browser.isOnline,
      hasText: (mutation) => mutation.kind === 'update' && 'title' in mutation.patch,
      onRefused: ({ key }) => this.#world.endIntention(key),
      onChange: (ids) => {
        for (const id of ids) this.changedIds.add(id)
      },
      onScopeChange: (name) => this.changedScopes.add(name),
    }).then((page) => {
      if (!this.isOpen) return
      this.page = page
      this.list = page.createList(this.#world.listRules, () => this.isInteracting)
      // Not every page shows all projects.
      for (const scope of this.scopes) if (this.#chance(0.85)) void page.hold(scope)
      this.browser.lookAt(this)
    })
  }

  close(isCrash: boolean): void {
    // A page that is closed leaves what it could not store among the drafts.
    if (!isCrash) for (const finish of this.#unfinishedWrites) finish()
    else {
      const entries = this.page?.log.entries ?? []
      for (const { mutation } of entries)
        if (!this.browser.isEntryStored(mutation.key)) this.unstoredKeys.add(mutation.key)
      if (this.#world.defects.losesEntriesOnCrash) this.browser.stored.entries.clear()
    }
    this.#unfinishedWrites = []
    this.isOpen = false
    this.page?.stopLeading()
  }

  breakStream(): void {
    this.#breakStream()
  }

  /** Opens a page of a search; it may fail. */
  search(status: unknown): void {
    const { page } = this
    const load = () =>
      this.#request(() => this.#server.search(this.person, status, this.#pickLag()))
    page?.replica
      .query(load)
      .then(({ n, records }) => this.#world.judge.checkSearch(this, page, n, records))
      .catch(() => undefined)
  }

  get #server(): ModelServer {
    return this.#world.server
  }

  get #storage(): PageStorage {
    const { stored } = this.browser
    const { defects } = this.#world
    return {
      claimEntries: async () => {
        await this.#world.time.wait(this.#world.random() * 5)
        const left = [...stored.entries.values()].filter(({ tab }) => !tab.isOpen)
        for (const one of left) stored.entries.set(one.entry.mutation.key, { ...one, tab: this })
        const entries = left.map(({ entry }) => entry)
        return defects.forgetsOrder ? entries.toReversed() : entries
      },
      writeEntries: (puts, deletedKeys) =>
        this.#write(() => {
          for (const key of deletedKeys) stored.entries.delete(key)
          for (const entry of puts) stored.entries.set(entry.mutation.key, { entry, tab: this })
        }),
      readScope: async (name) => {
        await this.#world.time.wait(this.#world.random() * 5)
        return stored.copies.get(name)
      },
      writeScope: (name, copy) =>
        this.#write(() => {
          const former = stored.copies.get(name)
          if (!copy) stored.copies.delete(name)
          else if (defects.tearsCopies && former)
            stored.copies.set(name, { ...copy, records: former.records })
          else stored.copies.set(name, copy)
          this.#world.judge.checkCopy(this, name, stored.copies.get(name))
        }),
    }
  }

  /** One transaction; they take effect in their order, unless the page ends before. */
  #write(run: () => void): Promise<void> {
    const { time, random, defects } = this.#world
    this.#lastWriteAt = Math.max(this.#lastWriteAt, time.now + random() * 5)
    this.#unfinishedWrites.push(run)
    const isDone = new Promise<void>((resolve) => {
      time.schedule(() => {
        if (!this.#unfinishedWrites.includes(run)) return
        this.#unfinishedWrites = this.#unfinishedWrites.filter((one) => one !== run)
        run()
        resolve()
      }, this.#lastWriteAt - time.now)
    })
    return defects.confirmsTooEarly ? Promise.resolve() : isDone
  }

  get #transport(): PageTransport {
    const { person } = this
    return {
      send: (mutation, version) => {
        this.#world.judge.checkSending(this, mutation, version)
        return this.#request(() => this.#server.write(person, mutation, version))
      },
      read: (ids) => this.#request(() => this.#server.read(person, ids)),
      load: async (scope, since, take) => {
        const wanted = this.scopes.find(({ name }) => name === scope.name)
        if (!wanted) throw new Error(`Nobody has asked for ${scope.name}`)
        const loaded = await this.#request(() =>
          this.#server.load(person, wanted, since, this.#pickLag()),
        )
        for (const part of this.#inParts(loaded.changes)) {
          take(loaded.head, part)
          await this.#world.time.wait(this.#world.random() * 50)
          if (!this.isOpen) await never
          if (this.#chance(0.05)) throw new Error('The connection was cut')
        }
        return loaded.head
      },
      openStream: (position, onBatch, onEnd) => this.#openStream(position, onBatch, onEnd),
    }
  }

  #inParts(changes: readonly ReplicaChange[]): (readonly ReplicaChange[])[] {
    const middle = Math.floor(this.#world.random() * changes.length)
    return [changes.slice(0, middle), changes.slice(middle)]
  }

  /** By how many changes a standby is behind. */
  #pickLag = (): number =>
    this.#chance(0.2) ? Math.floor(this.#world.random() * MAX_STANDBY_LAG) : 0

  #chance = (share: number): boolean => this.#world.random() < share

  /** A request that may be lost, arrive twice, or be answered late or never. */
  #request<T>(handle: () => T): Promise<T> {
    const { time, random } = this.#world
    const fate = random()
    const isLost = fate < LOST_REQUESTS
    const isReplyLost = !isLost && fate < LOST_REQUESTS + LOST_REPLIES
    return new Promise((resolve, reject) => {
      const fail = () => this.isOpen && reject(new Error('No network'))
      if (!this.browser.isOnline || isLost) {
        time.schedule(fail, random() * 3_000)
        return
      }
      time.schedule(() => {
        const outcome = attempt(handle)
        if (this.#chance(DOUBLED_REQUESTS)) time.schedule(() => attempt(handle), random() * 3_000)
        const lateness = this.#chance(LATE_REPLIES) ? 4_000 : 0
        time.schedule(
          () => {
            if (!this.isOpen) return
            if (isReplyLost || !this.browser.isOnline) fail()
            else if ('error' in outcome) reject(outcome.error)
            else resolve(outcome.value)
          },
          random() * 400 + lateness,
        )
      }, random() * 400)
    })
  }

  #openStream(
    position: ChangePosition | undefined,
    onBatch: (batch: StreamBatch) => void,
    onEnd: () => void,
  ): () => void {
    const { time, random } = this.#world
    const server = this.#server
    let sent = position
    let isOpen = true
    let isSending = false
    let lastSentAt = 0
    const send = () => {
      isSending = false
      if (!isOpen) return
      const batch = server.streamAfter(this.person, sent)
      sent = batch
      // A stream does not overtake itself.
      lastSentAt = Math.max(lastSentAt + 0.001, time.now + random() * 200)
      time.schedule(() => {
        // A page may still get what was under way when it closed the stream.
        if (!this.isOpen || !this.browser.isOnline) return
        this.followedHistory = batch.history
        onBatch(batch)
      }, lastSentAt - time.now)
    }
    const sendSoon = () => {
      if (isSending) return
      isSending = true
      time.schedule(send, random() * 100)
    }
    const end = () => {
      isOpen = false
      server.listeners.delete(sendSoon)
    }
    this.#breakStream = () => {
      if (!isOpen) return
      end()
      time.schedule(() => this.isOpen && onEnd(), random() * 200)
    }
    time.schedule(
      () => {
        if (!isOpen) return
        if (!this.browser.isOnline) {
          this.#breakStream()
          return
        }
        server.listeners.add(sendSoon)
        send()
      },
      50 + random() * 300,
    )
    return end
  }

  /** Messages between tabs arrive late, but in order. */
  #share(batch: StreamBatch): void {
    const { time, random } = this.#world
    this.#lastShareAt = Math.max(this.#lastShareAt + 0.001, time.now + random() * 50)
    for (const tab of this.browser.tabs) {
      if (tab === this || tab.person !== this.person) continue
      time.schedule(() => {
        if (!tab.isOpen) return
        tab.followedHistory = batch.history
        tab.page?.follow(batch)
      }, this.#lastShareAt - time.now)
    }
  }
}

const never = new Promise<never>(() => undefined)

function attempt<T>(handle: () => T): { value: T } | { error: unknown } {
  try {
    return { value: handle() }
  } catch (error) {
    return { error }
  }
}
