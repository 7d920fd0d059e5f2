import type { ListRules } from '../../../web/src/replica/list-view.ts'
import { getTargetId, isEqualJson, type ReplicaRecord } from '../../../web/src/replica/mutations.ts'
import type { PendingMutation } from '../../../web/src/replica/pending-mutation-log.ts'
import { type BrowserDefects, type BrowserTab, ModelBrowser } from './model-browser.ts'
import {
  type AppliedWrite,
  ModelServer,
  OPEN_PROJECT,
  PRIVATE_PROJECT,
  type ServerDefects,
} from './model-server.ts'
import { type ReplicaIntention, ReplicaJudge } from './replica-judge.ts'
import { VirtualTime } from './virtual-time.ts'

/** Defects that a control puts into the simulation; without any of them it must find no fault. */
export interface ReplicaDefects extends ServerDefects, BrowserDefects {}

/** A server, some browsers, their people, and a judge. Everything depends on the random numbers alone. */
export class ReplicaWorld {
  readonly random: () => number
  readonly defects: ReplicaDefects
  readonly time = new VirtualTime()
  readonly server: ModelServer
  readonly browsers: readonly ModelBrowser[]
  readonly judge: ReplicaJudge
  readonly intentions = new Map<string, ReplicaIntention>()
  readonly #writes: AppliedWrite[] = []
  #serial = 0

  constructor(random: () => number, defects: ReplicaDefects) {
    this.random = random
    this.defects = defects
    this.judge = new ReplicaJudge(this)
    this.server = new ModelServer(random, defects, [1, 2], (write) => {
      this.#writes.push(write)
      this.judge.checkApplied(write)
    })
    for (let count = 0; count < 5; count++)
      this.server.create(this.nextKey(), {
        project_id: count < 3 ? OPEN_PROJECT : PRIVATE_PROJECT,
        title: `first${count}`,
        status: 'todo',
        owner: null,
      })
    const count = 2 + Math.floor(random() * 2)
    this.browsers = Array.from({ length: count }, (_, at) => new ModelBrowser(this, at + 1))
  }

  get listRules(): ListRules<ReplicaRecord, string> {
    return {
      place: ({ status, title, comments, owner }) => {
        if (status === 'done') return undefined
        const amounts = [1, Number(comments ?? 0)]
        const owners = owner === null ? [] : [`owner ${owner}`]
        return { groupKeys: [String(status), ...owners], sortKey: String(title), amounts }
      },
      compareSortKeys: (a, b) => {
        if (this.defects.ordersAtRandom) return this.random() - 0.5
        if (a === b) return 0
        return a < b ? -1 : 1
      },
    }
  }

  nextSerial(): number {
    this.#serial += 1
    return this.#serial
  }

  nextKey = (): string => `key${String(this.nextSerial()).padStart(8, '0')}`

  pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(this.random() * from.length)]

  pass(ms: number): Promise<void> {
    return this.time.pass(ms, () => this.judge.checkStep())
  }

  getIntention(key: string): ReplicaIntention {
    const intention = this.intentions.get(key)
    if (!intention) throw new Error(`Nobody has meant ${key}`)
    return intention
  }

  endIntention(key: string): void {
    this.getIntention(key).isOver = true
  }

  /** What the same person has done to the same record before, in the same browser. */
  findEarlierIntentions(intention: ReplicaIntention): ReplicaIntention[] {
    const all = [...this.intentions.values()]
    const target = this.#resolve(getTargetId(intention.mutation))
    return all
      .slice(0, all.indexOf(intention))
      .filter(
        ({ tab, mutation }) =>
          tab.browser === intention.tab.browser &&
          tab.person === intention.tab.person &&
          this.#resolve(getTargetId(mutation)) === target,
      )
  }

  /** Whether the person has set all of its fields anew. */
  isReplaced(intention: ReplicaIntention): boolean {
    const { mutation } = intention
    return [...this.intentions.values()].some(
      (other) =>
        mutation.kind === 'update' &&
        other.mutation.kind === 'update' &&
        other.tab.person === intention.tab.person &&
        this.findEarlierIntentions(other).includes(intention) &&
        isEqualJson(Object.keys(mutation.patch), Object.keys(other.mutation.patch)),
    )
  }

  /** Who has given a field its value. */
  findWriter(id: string, field: string, value: unknown): ReplicaIntention | undefined {
    const write = this.#writes.findLast(
      ({ id: written, mutation }) =>
        written === id && mutation.kind === 'update' && field in mutation.patch,
    )
    if (write?.mutation.kind !== 'update' || !isEqualJson(write.mutation.patch[field], value))
      return undefined
    return this.intentions.get(write.mutation.key)
  }

  /** The tab in whose log a mutation is. */
  findTab(key: string): BrowserTab | undefined {
    const tabs = this.browsers.flatMap((browser) => browser.tabs)
    return tabs.find(({ page }) => page?.log.entries.some(({ mutation }) => mutation.key === key))
  }

  findEntry(key: string): PendingMutation | undefined {
    const entries = this.findTab(key)?.page?.log.entries ?? []
    return entries.find(({ mutation }) => mutation.key === key)
  }

  isRefused = (key: string): boolean => this.findEntry(key)?.refusal !== undefined

  isEntryStored = (key: string): boolean =>
    this.browsers.some((browser) => browser.isEntryStored(key))

  /** Whether a crash came before it could be stored. */
  isUnstored = ({ tab, mutation }: ReplicaIntention): boolean => tab.unstoredKeys.has(mutation.key)

  #resolve(id: string): string {
    const creation = this.#writes.find(
      ({ mutation }) => mutation.kind === 'create' && mutation.record.id === id,
    )
    return creation?.id ?? id
  }
}
