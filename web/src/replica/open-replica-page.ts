import { assertTransition, type ModeTransitions } from '#lib/mode.ts'
import { type ListRules, ListView } from './list-view.ts'
import {
  type ChangePosition,
  LocalReplica,
  type ReplicaDeps,
  type ReplicaScope,
  type ScopeCopy,
  type StreamBatch,
} from './local-replica.ts'
import { applyMutations, type Mutation, type ReplicaRecord } from './mutations.ts'
import {
  type MutationLogPage,
  type MutationReply,
  PendingMutationLog,
  type StoredPendingMutation,
} from './pending-mutation-log.ts'

/** The server, as a page sees it. A request rejects with `RequestRefusedError` if the server refuses it. */
export interface PageTransport extends Pick<ReplicaDeps, 'load' | 'read'> {
  send(mutation: Mutation, version: number | undefined): Promise<MutationReply>
  /**
   * Opens the stream of changes after a position. If the server cannot go on from there, the first
   * batch begins later. Returns a function that closes it; `onEnd` is called if it ends otherwise.
   */
  openStream(
    position: ChangePosition | undefined,
    onBatch: (batch: StreamBatch) => void,
    onEnd: () => void,
  ): () => void
}

/** What the browser keeps for one person in one workspace. Each write is one transaction. */
export interface PageStorage {
  /**
   * The mutations that earlier pages have left, in the order in which they were first stored; they
   * belong to this page from now on.
   */
  claimEntries(): Promise<readonly StoredPendingMutation[]>
  writeEntries(
    puts: readonly StoredPendingMutation[],
    deletedKeys: readonly string[],
  ): Promise<void>
  /** Undefined if there is none that can be read. */
  readScope(name: string): Promise<ScopeCopy | undefined>
  writeScope(name: string, copy: ScopeCopy | undefined): Promise<void>
}

/** A view that follows all changes until it is closed. */
export interface PageList<K> {
  readonly view: ListView<ReplicaRecord, K>
  /** Places the rows that have waited. */
  update(): void
  close(): void
}

/** All that a page uses of its surroundings. */
export interface PageDeps
  extends Pick<MutationLogPage, 'canSend' | 'hasText' | 'onRefused'>,
    Pick<ReplicaDeps, 'onScopeChange'> {
  readonly transport: PageTransport
  readonly storage: PageStorage
  /** Passes a batch of the stream on to the other tabs of the browser. */
  shareBatch(batch: StreamBatch): void
  /** Calls back later, for another attempt after one has failed. */
  schedule(run: () => void, ms: number): void
  /** The records that are shown in another way now. */
  onChange(ids: ReadonlySet<string>): void
}

/** `following` what another tab shares; `connecting` or `streaming`, and sharing it with the others. */
type StreamMode = 'following' | 'connecting' | 'streaming'

const STREAM_TRANSITIONS: ModeTransitions<StreamMode> = {
  following: ['connecting'],
  connecting: ['streaming', 'connecting', 'following'],
  streaming: ['connecting', 'following'],
}

/** The pauses after the first failed attempts; later ones are as long as the last. */
const RETRY_STEPS_MS = [500, 2_000] as const
const MAX_RETRY_MS = 8_000

/**
 * Opens the data of a page. Its one rule: the page shows the server's records with the pending mutations
 * applied; every list, count and sum is computed from that.
 *
 * - *An edit* is added to the log and shown at once. It is stored, then sent with the version of the
 *   record, if the record has the values that the person has seen; else the log asks. The reply
 *   is taken into the replica in the step in which the entry leaves the log.
 * - *A change by somebody else* comes with the stream, to one tab, which shares it with the others.
 *   The replica takes it if its number is greater; what is pending stays on top.
 * - *After a reload* the page shows what the browser has stored of its scopes, reads what has changed
 *   since, and sends the mutations that earlier pages have left.
 *
 * Everything that it needs is injected, so that many pages can be opened in one process.
 *
 * Known limits. Until a page has read what changed since its stored copy, it may show a record without an
 * own change that was acknowledged just before, and ask about it. If an older backup is restored, and
 * a record gets the same version there with other values, a mutation that is sent before the page
 * has learnt of it overwrites them.
 */
export async function openReplicaPage(deps: PageDeps): Promise<ReplicaPage> {
  const entries = await deps.storage.claimEntries()
  return new ReplicaPage(deps, entries)
}

/** The data of one page. */
export class ReplicaPage {
  readonly replica: LocalReplica
  readonly log: PendingMutationLog
  readonly #deps: PageDeps
  readonly #lists = new Set<{ update: (ids: ReadonlySet<string>) => void }>()
  /** Records with pending mutations, so that they are the same objects until something changes. */
  readonly #shown = new WeakMap<readonly Mutation[], ShownRecord>()
  #streamMode: StreamMode = 'following'
  #closeStream: () => void = () => undefined
  #failedConnections = 0
  /** Changes that are announced when the step ends in which they happen. */
  #changedIds: Set<string> | undefined

  constructor(deps: PageDeps, entries: readonly StoredPendingMutation[]) {
    this.#deps = deps
    const { transport, storage } = deps
    const onChange = (ids: ReadonlySet<string>) => this.#announce(ids)
    const waitToRetry = (failedAttempts: number) => this.#waitToRetry(failedAttempts)
    this.replica = new LocalReplica({
      load: transport.load,
      read: transport.read,
      waitToRetry,
      onChange,
      onScopeChange: deps.onScopeChange,
    })
    this.log = new PendingMutationLog(
      {
        getBase: this.replica.get,
        read: (ids) => this.replica.read(ids),
        send: async (mutation, version) => {
          const { history } = this.replica
          const reply = await transport.send(mutation, version)
          // A number of a former history says nothing about the records of this one.
          return history === this.replica.history ? reply : { ...reply, n: undefined }
        },
        store: (puts, deletedKeys) => storage.writeEntries(puts, deletedKeys),
        settle: (id, reply, end) => this.#settle(id, reply, end),
        waitToRetry,
        canSend: deps.canSend,
        hasText: deps.hasText,
        onRefused: deps.onRefused,
        onChange,
      },
      entries,
    )
    this.log.sendNext()
  }

  /** A record as the page shows it: the server's with the pending mutations applied. */
  getRecord = (id: string): ReplicaRecord | undefined => {
    const base = this.replica.get(id)
    const mutations = this.log.getMutations(id)
    if (mutations.length === 0) return base
    const known = this.#shown.get(mutations)
    if (known && known.base === base) return known.record
    const record = applyMutations(base, mutations)
    this.#shown.set(mutations, { base, record })
    return record
  }

  /** All records as the page shows them. */
  getRecords(): ReplicaRecord[] {
    const ids = new Set(this.log.targetIds)
    for (const { id } of this.replica.records()) ids.add(id)
    return [...ids].flatMap((id) => this.getRecord(id) ?? [])
  }

  /**
   * Makes a view that follows all changes. While `isInteracting`, rows that the person has not changed
   * stay as they are; call `update` when that ends, and `close` when the view is not shown any more.
   */
  createList<K>(rules: ListRules<ReplicaRecord, K>, isInteracting: () => boolean): PageList<K> {
    const view = new ListView(rules, this.getRecords())
    const hasToWait = (id: string) => isInteracting() && this.log.getMutations(id).length === 0
    const list = {
      update: (ids: Iterable<string>) => view.update(ids, this.getRecord, hasToWait),
    }
    this.#lists.add(list)
    return { view, update: () => list.update([]), close: () => this.#lists.delete(list) }
  }

  /** Holds a scope, at once as the browser has stored it. */
  async hold(scope: ReplicaScope): Promise<void> {
    const copy = await this.#deps.storage.readScope(scope.name)
    this.replica.hold(scope, copy)
  }

  /** Stores a scope for the next page, or deletes it from there if the person may not see it any more. */
  async storeScope(name: string): Promise<void> {
    const copy = this.replica.copyScope(name)
    if (copy || this.replica.getScopeState(name)?.mode === 'unavailable')
      await this.#deps.storage.writeScope(name, copy)
  }

  /** Opens the stream, because this is the tab that has to. */
  lead(): void {
    if (this.#streamMode === 'following') this.#connect()
  }

  /** Leaves the stream to another tab. */
  stopLeading(): void {
    if (this.#streamMode === 'following') return
    this.#closeStream()
    this.#enterStreamMode('following')
  }

  /** Follows a batch that another tab has shared. */
  follow(batch: StreamBatch): void {
    this.#inOneStep(() => this.replica.follow(batch))
  }

  #connect(): void {
    this.#enterStreamMode('connecting')
    /** Until this tab leaves the stream to another one. */
    let isCurrent = true
    let hasEnded = false
    const closeStream = this.#deps.transport.openStream(
      this.replica.position,
      (batch) => {
        if (!isCurrent || hasEnded) return
        if (this.#streamMode === 'connecting') {
          this.#enterStreamMode('streaming')
          this.#failedConnections = 0
          this.log.retryFailed()
        }
        this.#deps.shareBatch(batch)
        this.follow(batch)
      },
      async () => {
        if (!isCurrent || hasEnded) return
        hasEnded = true
        this.#enterStreamMode('connecting')
        this.#failedConnections += 1
        await this.#waitToRetry(this.#failedConnections)
        if (isCurrent) this.#connect()
      },
    )
    this.#closeStream = () => {
      isCurrent = false
      closeStream()
    }
  }

  #enterStreamMode(mode: StreamMode): void {
    assertTransition(STREAM_TRANSITIONS, this.#streamMode, mode)
    this.#streamMode = mode
  }

  #settle(id: string, { record, n }: MutationReply, end: () => void): void {
    this.#inOneStep(() => {
      const project_id = this.replica.get(id)?.project_id
      if (n !== undefined && record) this.replica.takeReply({ op: 'put', record }, n)
      else if (n !== undefined && project_id !== undefined)
        this.replica.takeReply({ op: 'delete', id, project_id }, n)
      end()
    })
  }

  #waitToRetry(failedAttempts: number): Promise<void> {
    const ms = RETRY_STEPS_MS[failedAttempts - 1] ?? MAX_RETRY_MS
    return new Promise((resolve) => this.#deps.schedule(resolve, ms))
  }

  /** Announces all changes of a step at once: nobody sees a state in between. */
  #inOneStep(run: () => void): void {
    if (this.#changedIds) {
      run()
      return
    }
    const changedIds = new Set<string>()
    this.#changedIds = changedIds
    try {
      run()
      this.log.recognizeCreated([...changedIds])
    } finally {
      this.#changedIds = undefined
    }
    if (changedIds.size === 0) return
    for (const { update } of this.#lists) update(changedIds)
    this.#deps.onChange(changedIds)
  }

  #announce(ids: ReadonlySet<string>): void {
    this.#inOneStep(() => {
      for (const id of ids) this.#changedIds?.add(id)
    })
  }
}

interface ShownRecord {
  readonly base: ReplicaRecord | undefined
  readonly record: ReplicaRecord | undefined
}
