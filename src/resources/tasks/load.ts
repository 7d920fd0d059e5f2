import { may } from '#core/actor.ts'
import { insufficientRole, notFound, validationFailed } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { trashSince } from '#core/trash.ts'
import { batchesOf } from '#lib/batches.ts'
import { fromJson } from '#lib/json.ts'
import { andThen, awaitAll, type MaybePromise } from '#lib/maybe-promise.ts'
import { giveWay } from '#lib/turns.ts'
import type { Status } from '#resources/projects/contract.ts'
import { projectColumnsById } from '#resources/projects/store.ts'
import { fieldError } from '#wire/field-error.ts'
import type { Task } from './fields.ts'
import { loadDescendants, MAX_SUBTASKS } from './rules/rules.ts'
import { tasksDeletedTogether } from './statements/related.ts'
import {
  taskById,
  taskIdByFormerNumber,
  taskIdByNumber,
  taskRecordById,
  tasksById,
} from './task-json.ts'
import type { TaskProjectContext } from './writing/change-task.ts'

/** The project of a task, if the actor sees it. */
export async function loadProjectContext(
  tx: ReadTx,
  project_id: string,
): Promise<TaskProjectContext | undefined> {
  const project = await tx.one(projectColumnsById, { id: project_id })
  return project && { ...project, project_id, statuses: parseStatuses(project.statuses) }
}

/** The project of a loaded task. */
export const projectContextOf = ({
  project_id,
  prefix,
  archived_at,
  statuses,
}: LoadedTask): TaskProjectContext => ({
  project_id,
  prefix,
  archived_at,
  statuses: parseStatuses(statuses),
})

/** Parsed statuses are cached: every write reads a project, and most have the same statuses. */
const MAX_CACHED = 100
const statusCache = new Map<string, readonly Status[]>()

/** Parses the `statuses` column of a project. */
export function parseStatuses(text: string): readonly Status[] {
  let statuses = statusCache.get(text)
  if (!statuses) {
    if (statusCache.size >= MAX_CACHED) statusCache.clear()
    statuses = JSON.parse(text) as Status[]
    statusCache.set(text, statuses)
  }
  return statuses
}

/** A task with the columns that operations need. `revision` is its version. */
export type LoadedTask = Awaited<ReturnType<typeof loadTask>>

/** The task with an id or short id, if it is not deleted and the actor sees its project. */
export async function loadTask(tx: ReadTx, name: string) {
  const task = await loadTaskOrDeleted(tx, name)
  if (task.deleted_at !== null) throw notFound()
  return task
}

/** The record of such a task, for a reply. */
export const loadTaskRecord = (tx: ReadTx, name: string) =>
  name.startsWith('tsk_')
    ? andThen(tx.oneNow(taskRecordById, { id: name }), assertFound)
    : loadTask(tx, name)

/** The task, whether or not it is deleted. */
export async function loadTaskOrDeleted(tx: ReadTx, name: string) {
  return assertFound(await tx.one(taskById, { id: await resolveTaskId(tx, name) }))
}

function assertFound<T>(task: T | undefined): T {
  if (!task) throw notFound()
  return task
}

/** Their texts are up to 26 MB, and one statement holds the event loop on SQLite. */
const TASKS_PER_BATCH = 100

/**
 * Existing tasks, deleted or not, in the order of the given ids. They come in batches, so that an
 * operation on many tasks neither holds the texts of all of them at once nor the event loop.
 */
export async function* loadTaskBatches(
  tx: ReadTx,
  ids: readonly string[],
): AsyncGenerator<LoadedTask[]> {
  for (const some of batchesOf(ids, TASKS_PER_BATCH)) {
    await giveWay()
    const tasks = await tx.all(tasksById, { ids: some })
    const loadedTasks = new Map(tasks.map((task) => [task.id, task]))
    yield some.map((id) => {
      const task = loadedTasks.get(id)
      if (!task) throw new Error('A task is gone while an operation writes it')
      return task
    })
  }
}

/** The records of existing tasks, in the order of the given ids. */
export async function loadTaskRecords(tx: ReadTx, ids: readonly string[]): Promise<Task[]> {
  const records: Task[] = []
  for await (const tasks of loadTaskBatches(tx, ids))
    for (const { json } of tasks) records.push(fromJson(json))
  return records
}

export type TaskToWrite = Awaited<ReturnType<typeof loadTaskToWrite>>

/** The task for a change, with its record as an object to compare with. */
export async function loadTaskToWrite(tx: ReadTx, name: string) {
  const task = await loadTask(tx, name)
  return { ...task, record: fromJson(task.json) }
}

/** The task for a deletion; guests can delete only what they created, and the subtasks go along. */
export async function loadTaskToDelete(tx: ReadTx, name: string) {
  const task = await loadTaskToWrite(tx, name)
  if (!may(tx.actor, 'shape_projects')) {
    assertCreatedByActor(tx, [task], 'delete tasks that they created')
    const subtasks = await loadDescendants(tx, task.id, MAX_SUBTASKS)
    assertCreatedByActor(
      tx,
      subtasks,
      'delete a task with its subtasks if they created all of them',
    )
  }
  return task
}

/**
 * The task, unless its time for restoring is over. Guests restore a task only if they created it and
 * all subtasks that come back with it.
 */
export async function loadTaskToRestore(tx: ReadTx, name: string) {
  const task = await loadTaskOrDeleted(tx, name)
  const trash_since = trashSince(tx.nowMs)
  if (task.deleted_at !== null && task.deleted_at <= trash_since) throw notFound()
  if (!may(tx.actor, 'shape_projects')) {
    assertCreatedByActor(tx, [task], 'restore tasks that they created')
    const { id, deleted_by_operation_id: operation_id } = task
    const group =
      operation_id === null ? [] : await tx.all(tasksDeletedTogether, { id, operation_id })
    assertCreatedByActor(tx, group, 'restore a task with its subtasks if they created all of them')
  }
  return task
}

function assertCreatedByActor(
  { actor }: ReadTx,
  tasks: readonly { created_by_id: string }[],
  right: string,
): void {
  if (tasks.every(({ created_by_id }) => created_by_id === actor.user_id)) return
  throw insufficientRole(`Guests can only ${right}.`)
}

/**
 * The id that a request means by an id or short id. A short id of no visible task stays as it is, and
 * is then treated as an unknown id.
 */
export const resolveTaskId = (tx: ReadTx, name: string): MaybePromise<string> =>
  name.startsWith('tsk_') ? name : andThen(idOfShortId(tx, name), (id) => id ?? name)

/** The fields by which the body of a task names other tasks. */
interface TaskReferences {
  parent_id?: string | null
  before_id?: string
  after_id?: string
  blocked_by_ids?: string[]
}

/** Replaces the short ids of other tasks in the body of a task by their ids. */
export async function resolveTaskReferences<T extends TaskReferences>(
  tx: ReadTx,
  input: T,
): Promise<T> {
  const resolved: TaskReferences = {}
  for (const field of ['parent_id', 'before_id', 'after_id'] as const) {
    const name = input[field]
    if (typeof name === 'string') resolved[field] = await resolveTaskId(tx, name)
  }
  if (input.blocked_by_ids) {
    const ids = await awaitAll(input.blocked_by_ids.map((name) => resolveTaskId(tx, name)))
    const repeated = ids.findIndex((id, at) => ids.indexOf(id) !== at)
    if (repeated !== -1) {
      const field = `blocked_by_ids[${repeated}]`
      throw validationFailed(fieldError(field, 'duplicate', 'is already in the list'))
    }
    resolved.blocked_by_ids = [...ids]
  }
  return { ...input, ...resolved }
}

/** Task numbers are 32-bit integers on PostgreSQL. */
export const MAX_TASK_NUMBER = 2 ** 31 - 1

/** The id of the visible task with a present or former short id, in any case (docs/spec/api.md#identifiers). */
export async function idOfShortId(tx: ReadTx, name: string): Promise<string | undefined> {
  // Matched before its letters are raised, which would make SS of ß.
  const [, letters, digits] = /^([A-Z][A-Z0-9]{1,9})-([1-9][0-9]{0,15})$/i.exec(name) ?? []
  const number = Number(digits)
  if (letters === undefined || !(number <= MAX_TASK_NUMBER)) return undefined
  const prefix = letters.toUpperCase()
  const task =
    (await tx.one(taskIdByNumber, { prefix, number })) ??
    (await tx.one(taskIdByFormerNumber, { prefix, number }))
  return task?.id
}
