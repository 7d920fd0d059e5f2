import type { bulkTasks } from '#resources/tasks/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { refetchLists } from '../cache/query-client.ts'
import { fetchTaskRows, loadMissingTasks } from '../cache/task-rows.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { type BulkOperation, findConflictingFields, settleChange } from '../tasks/change-task.ts'
import { recordLocalChange } from '../tasks/local-changes.ts'
import {
  getPatchedFields,
  invertPatch,
  type Task,
  type TaskChange,
  type TaskPatch,
} from '../tasks/task-patch.ts'
import {
  findTaskIdByNumber,
  getCachedTask,
  getPendingChanges,
  getServerTask,
  putTasks,
  removeCachedTask,
  subscribeToTasks,
  updatePendingChanges,
} from '../tasks/task-store.ts'
import { cancelMutation, enqueueMutation } from './mutation-queue.ts'

/** The change that a bulk command makes to one task. */
export interface BulkTaskChange {
  kind: TaskChange['kind']
  patch: TaskPatch
  /** The task before it was deleted, for a change that restores it. */
  deletedTask?: Task
  /** The task as the change that this one undoes has left it; what others changed since stays. */
  undoneTask?: Task
}

export interface BulkMutation {
  project_id: string
  /** Describes the change, for the message that it is not saved. */
  label: string
  /** The change of one task; undefined leaves the task as it is. */
  changeFor: (
    number: number,
    task: Task | undefined,
    project_id: string,
  ) => BulkTaskChange | undefined
}

export interface BulkRejection {
  short_id: string
  reason: string
  /** Whether somebody else has changed the same fields. */
  isConflict: boolean
}

type BulkResult = EndpointReply<typeof bulkTasks>['results'][number]

const QUEUE_KEY = 'bulk'
const OPS = { patch: 'update', complete: 'complete', delete: 'delete', restore: 'restore' } as const

/** One request that changes at most 100 tasks. */
export class MutationBatch {
  /** Resolves with the rejected tasks once the server has answered or the batch is canceled. */
  readonly finished: Promise<readonly BulkRejection[]>
  /** The change that undoes each applied one, by task number. */
  readonly inverse = new Map<number, BulkTaskChange>()
  readonly project_id: string
  readonly size: number
  /** Whether the batch was canceled before it was sent. */
  isCanceled = false
  readonly #work: BulkMutation
  readonly #numbers: readonly number[]
  readonly #key = crypto.randomUUID()
  readonly #changes = new Map<string, TaskChange>()
  /** The operations sent under each idempotency key: a retry must send the same ones. */
  readonly #sentOperations = new Map<string, BulkOperation[]>()
  /** By task id: an attempt that is repeated must neither lose nor repeat a rejection. */
  readonly #rejections = new Map<string, BulkRejection>()
  readonly #finish: (refused: readonly BulkRejection[]) => void

  constructor(work: BulkMutation, numbers: readonly number[]) {
    this.#work = work
    this.project_id = work.project_id
    this.size = numbers.length
    this.#numbers = numbers
    const { promise, resolve } = Promise.withResolvers<readonly BulkRejection[]>()
    this.finished = promise
    this.#finish = resolve
  }

  start(): void {
    this.#applyLocally()
    enqueueMutation({
      ...{ key: this.#key, queueKey: QUEUE_KEY, label: this.#work.label },
      send: () => this.#send(),
      onRejected: (error) => {
        const reason =
          error instanceof ApiResponseError ? error.message : bulkChangeMessages.notSent
        const all = [...this.#changes.values()].map(({ from: { short_id } }) => ({
          ...{ short_id, reason, isConflict: false },
        }))
        this.#settleAll()
        this.#finish(all)
      },
    })
  }

  /** Cancels the batch if it was not sent yet. */
  cancel(): void {
    if (!cancelMutation(this.#key)) return
    this.isCanceled = true
    this.#settleAll()
    this.#finish([])
  }

  /** Applies the change locally to all tasks that are loaded by now. */
  #applyLocally(): void {
    const { project_id, changeFor } = this.#work
    for (const number of this.#numbers) {
      const id = findTaskIdByNumber(project_id, number)
      if (!id || this.#changes.has(id)) continue
      const task = getCachedTask(id)
      const intended = changeFor(number, task, project_id)
      const from = task ? toBase(task, intended) : intended?.deletedTask
      if (!intended || !from) continue
      const { kind, patch } = intended
      const change: TaskChange = { kind, patch, from, key: `${this.#key} ${id}` }
      this.#changes.set(id, change)
      updatePendingChanges(id, (changes) => [...changes, change])
    }
  }

  async #send(): Promise<void> {
    const unread = this.#numbers.filter((number) => {
      const id = findTaskIdByNumber(this.#work.project_id, number)
      return id === undefined || !this.#changes.has(id)
    })
    await loadMissingTasks(this.#work.project_id, unread)
    this.#applyLocally()
    await this.#waitForEarlierChanges()
    const outdated: string[] = []
    await this.#post(this.#key, this.#idsWithoutConflict(), (id, result) => {
      if (result.error?.code === 'version_mismatch') outdated.push(id)
      else this.#applyResult(id, result)
    })
    if (outdated.length > 0) await this.#retryOutdated(outdated)
    this.#settleAll()
    refetchLists()
    this.#finish([...this.#rejections.values()])
  }

  /** Resolves once this batch's change is the oldest pending one of each of its tasks. */
  #waitForEarlierChanges(): Promise<void> {
    const ready = () =>
      [...this.#changes].every(([id, { key }]) => {
        const [first] = getPendingChanges(id)
        return first === undefined || first.key === key
      })
    if (ready()) return Promise.resolve()
    return new Promise((resolve) => {
      const stop = subscribeToTasks(() => {
        if (!ready()) return
        stop()
        resolve()
      })
    })
  }

  /** Sends the tasks again that somebody else changed meanwhile, unless in the same fields. */
  async #retryOutdated(ids: readonly string[]): Promise<void> {
    const numbers = ids.flatMap((id) => getServerTask(id)?.number ?? [])
    const current = await fetchTaskRows(this.#work.project_id, numbers)
    putTasks(current)
    const withoutConflict = current.filter((task) => !this.#rejectConflict(task))
    const key = `${this.#key}-again`
    await this.#post(
      key,
      withoutConflict.map(({ id }) => id),
      (id, result) => this.#applyResult(id, result),
    )
  }

  /** The tasks to send; what was sent once is sent again as it was, and needs no check. */
  #idsWithoutConflict(): string[] {
    if (this.#sentOperations.has(this.#key)) return []
    return [...this.#changes.keys()].filter((id) => {
      const task = getServerTask(id)
      return !task || !this.#rejectConflict(task)
    })
  }

  /**
   * Rejects the change of a task in which somebody else has changed the same fields since it was
   * made. The version alone would not show that: a live update has already replaced it.
   */
  #rejectConflict(task: Task): boolean {
    const change = this.#changes.get(task.id)
    if (!change || change.from.version === task.version) return false
    if (findConflictingFields(change, task).length === 0) return false
    const reason = bulkChangeMessages.changedMeanwhile
    this.#rejections.set(task.id, { short_id: task.short_id, reason, isConflict: true })
    return true
  }

  async #post(key: string, ids: readonly string[], take: (id: string, result: BulkResult) => void) {
    const operations = this.#sentOperations.get(key) ?? ids.flatMap((id) => this.#operationOf(id))
    if (operations.length === 0) return
    this.#sentOperations.set(key, operations)
    const sent = { body: { operations, atomic: false } }
    const to = 'POST /api/v1/tasks/bulk'
    const { body } = await requestEndpointForResult<typeof bulkTasks>(to, sent, {
      idempotencyKey: key,
    })
    for (const result of body.results) {
      recordOwnOperation(result.operation_id ?? undefined)
      take(operations[result.index]?.id ?? '', result)
    }
  }

  #operationOf(id: string): BulkOperation[] {
    const change = this.#changes.get(id)
    if (!change) return []
    const { kind, patch } = change
    const version = getServerTask(id)?.version
    const guarded = kind !== 'restore' && version !== undefined
    const data = kind === 'patch' ? { data: patch as Record<string, unknown> } : {}
    return [{ op: OPS[kind], id, ...(guarded && { version }), ...data }]
  }

  #applyResult(id: string, { error, data }: BulkResult): void {
    const change = this.#changes.get(id)
    if (!change) return
    const { kind, patch, from, key } = change
    if (error) {
      const reason = error.details[0]?.message ?? error.message
      this.#rejections.set(id, { short_id: from.short_id, reason, isConflict: false })
      return
    }
    if (kind === 'delete') {
      removeCachedTask(id)
      this.inverse.set(from.number, { kind: 'restore', patch: {}, deletedTask: from })
      return
    }
    if (kind === 'restore') {
      if (data) recordLocalChange(data)
      this.inverse.set(from.number, { kind: 'delete', patch: {} })
    } else {
      const inverse = { kind: 'patch', patch: invertPatch(patch, from) } as const
      this.inverse.set(from.number, { ...inverse, ...(data && { undoneTask: data }) })
    }
    settleChange(id, key, data ?? undefined)
  }

  #settleAll(): void {
    for (const [id, { key }] of this.#changes) settleChange(id, key)
  }
}

/** The state that a change starts from: for an undo, the fields as the undone change left them. */
function toBase(task: Task, change: BulkTaskChange | undefined): Task {
  if (!change?.undoneTask) return task
  const { undoneTask, patch } = change
  const fields = getPatchedFields(patch).map((name) => [name, undoneTask[name]])
  return { ...task, ...Object.fromEntries(fields), version: undoneTask.version }
}
