import type { bulkTasks } from '#resources/tasks/contract.ts'
import type { Reply } from '#wire/endpoint.ts'
import { answered } from '../lib/call.ts'
import { Problem } from '../lib/problem.ts'
import { m } from '../messages/data.ts'
import { noteLocal } from './local-changes.ts'
import { noteOwn } from './own.ts'
import { cancel, enqueue } from './queue.ts'
import { refetchLists } from './refetch.ts'
import { loadRows, readAll } from './task-rows.ts'
import {
  baseOf,
  changesOf,
  dropTask,
  idOfNumber,
  onTasks,
  putTasks,
  setChanges,
  taskOf,
} from './task-store.ts'
import { type Change, inverseOf, type Task, type TaskPatch } from './task-view.ts'
import { type BulkOperation, clashing, settle } from './task-writes.ts'

/** What is meant with one task. */
export interface Meant {
  kind: Change['kind']
  patch: TaskPatch
  /** The task before, of one that is deleted by now and comes back. */
  was?: Task
}

export interface BulkWork {
  project_id: string
  /** What it does, in words, for who has to be told that it is not saved. */
  label: string
  /** What is to be done to a task; undefined: nothing. */
  meant: (number: number, task: Task | undefined, project_id: string) => Meant | undefined
}

export interface Refused {
  short_id: string
  reason: string
}

type Result = Reply<typeof bulkTasks>['results'][number]

const LANE = 'bulk'
const OPS = { patch: 'update', complete: 'complete', delete: 'delete', restore: 'restore' } as const

/** At most a hundred tasks that are changed together: one request. */
export class Part {
  /** Settled when nothing waits any more, with what was refused. */
  readonly finished: Promise<readonly Refused[]>
  /** What would take back what was done, by number. */
  readonly inverse = new Map<number, Meant>()
  readonly project_id: string
  readonly size: number
  /** It was taken back before it was sent. */
  isCanceled = false
  readonly #work: BulkWork
  readonly #numbers: readonly number[]
  readonly #key = crypto.randomUUID()
  readonly #changes = new Map<string, Change>()
  /** What was asked under a key: sent again it has to be the same. */
  readonly #asked = new Map<string, BulkOperation[]>()
  readonly #finish: (refused: readonly Refused[]) => void

  constructor(work: BulkWork, numbers: readonly number[]) {
    this.#work = work
    this.project_id = work.project_id
    this.size = numbers.length
    this.#numbers = numbers
    const { promise, resolve } = Promise.withResolvers<readonly Refused[]>()
    this.finished = promise
    this.#finish = resolve
  }

  begin(): void {
    this.#mean()
    enqueue({
      ...{ key: this.#key, lane: LANE, label: this.#work.label },
      send: () => this.#send(),
      refused: (error) => {
        const reason = error instanceof Problem ? error.message : m.notSent
        const all = [...this.#changes.values()].map(({ from: { short_id } }) => ({
          short_id,
          reason,
        }))
        this.#settleAll()
        this.#finish(all)
      },
    })
  }

  /** Takes it back if it was not sent yet. */
  cancel(): void {
    if (!cancel(this.#key)) return
    this.isCanceled = true
    this.#settleAll()
    this.#finish([])
  }

  /** Shows what is meant on all tasks that are known by now. */
  #mean(): void {
    const { project_id, meant } = this.#work
    for (const number of this.#numbers) {
      const id = idOfNumber(project_id, number)
      if (!id || this.#changes.has(id)) continue
      const task = taskOf(id)
      const wish = meant(number, task, project_id)
      const from = task ?? wish?.was
      if (!wish || !from) continue
      const { kind, patch } = wish
      const change: Change = { kind, patch, from, key: `${this.#key} ${id}` }
      this.#changes.set(id, change)
      setChanges(id, (changes) => [...changes, change])
    }
  }

  async #send(): Promise<void> {
    const unread = this.#numbers.filter((number) => {
      const id = idOfNumber(this.#work.project_id, number)
      return id === undefined || !this.#changes.has(id)
    })
    await readAll(this.#work.project_id, unread)
    this.#mean()
    await this.#turn()
    const again: string[] = []
    const refused: Refused[] = []
    await this.#post(this.#key, [...this.#changes.keys()], (id, result) => {
      if (result.error?.code === 'version_mismatch') again.push(id)
      else this.#take(id, result, refused)
    })
    if (again.length > 0) await this.#repeat(again, refused)
    this.#settleAll()
    refetchLists()
    this.#finish(refused)
  }

  /** Changes of one's own that came first are through. */
  #turn(): Promise<void> {
    const ready = () =>
      [...this.#changes].every(([id, { key }]) => {
        const [first] = changesOf(id)
        return first === undefined || first.key === key
      })
    if (ready()) return Promise.resolve()
    return new Promise((resolve) => {
      const stop = onTasks(() => {
        if (!ready()) return
        stop()
        resolve()
      })
    })
  }

  /** Once more on top of what others did, where that was to other fields. */
  async #repeat(ids: readonly string[], refused: Refused[]): Promise<void> {
    const numbers = ids.flatMap((id) => baseOf(id)?.number ?? [])
    const theirs = await loadRows(this.#work.project_id, numbers)
    putTasks(theirs)
    const clear = theirs.filter((task) => {
      const change = this.#changes.get(task.id)
      if (change && clashing(change, task).length === 0) return true
      refused.push({ short_id: task.short_id, reason: m.changedMeanwhile })
      return false
    })
    const key = `${this.#key}-again`
    await this.#post(
      key,
      clear.map(({ id }) => id),
      (id, result) => this.#take(id, result, refused),
    )
  }

  async #post(key: string, ids: readonly string[], take: (id: string, result: Result) => void) {
    const operations = this.#asked.get(key) ?? ids.flatMap((id) => this.#operationOf(id))
    if (operations.length === 0) return
    this.#asked.set(key, operations)
    const sent = { body: { operations, atomic: false } }
    const to = 'POST /api/v1/tasks/bulk'
    const { body } = await answered<typeof bulkTasks>(to, sent, { idempotencyKey: key })
    for (const result of body.results) {
      noteOwn(result.operation_id ?? undefined)
      take(operations[result.index]?.id ?? '', result)
    }
  }

  #operationOf(id: string): BulkOperation[] {
    const change = this.#changes.get(id)
    if (!change) return []
    const { kind, patch } = change
    const version = baseOf(id)?.version
    const guarded = kind !== 'restore' && version !== undefined
    const data = kind === 'patch' ? { data: patch as Record<string, unknown> } : {}
    return [{ op: OPS[kind], id, ...(guarded && { version }), ...data }]
  }

  #take(id: string, { error, data }: Result, refused: Refused[]): void {
    const change = this.#changes.get(id)
    if (!change) return
    const { kind, patch, from, key } = change
    if (error) {
      refused.push({ short_id: from.short_id, reason: error.details[0]?.message ?? error.message })
      return
    }
    if (kind === 'delete') {
      dropTask(id)
      this.inverse.set(from.number, { kind: 'restore', patch: {}, was: from })
      return
    }
    if (kind === 'restore') {
      if (data) noteLocal(data)
      this.inverse.set(from.number, { kind: 'delete', patch: {} })
    } else this.inverse.set(from.number, { kind: 'patch', patch: inverseOf(patch, from) })
    settle(id, key, data ?? undefined)
  }

  #settleAll(): void {
    for (const [id, { key }] of this.#changes) settle(id, key)
  }
}
