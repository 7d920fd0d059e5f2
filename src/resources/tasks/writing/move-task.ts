import { assertNoFieldErrors } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { command, insertRow, query, type Scoped } from '#db/core/statement.ts'
import { rankBetween } from '#lib/rank.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import { allocateTaskNumbers } from '#resources/projects/task-numbers.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { Task, TaskFields } from '../fields.ts'
import {
  type LoadedTask,
  loadProjectContext,
  loadTask,
  loadTaskBatches,
  loadTaskRecords,
  type TaskToWrite,
} from '../load.ts'
import {
  assertTreeIsSmallEnough,
  findTagsWithSameNames,
  loadDescendants,
  MAX_SUBTASKS,
  mapStatus,
  resolvePlacement,
} from '../rules/rules.ts'
import { lastPosition } from '../store.ts'
import {
  diffTask,
  resolveTaskInput,
  TaskCounters,
  type TaskDiff,
  type TaskInput,
  type TaskProjectContext,
  writeTaskChange,
} from './change-task.ts'
import { createGiveBack, findFormerParent, NO_MOVE } from './give-back.ts'
import { createNextOccurrence } from './next-occurrence.ts'
import { rankBeside } from './rank.ts'
import { emitTaskChanged, emitTaskCreated } from './task-events.ts'

/**
 * Moves a task with its subtasks to another project (docs/spec/api.md#task). They get numbers there, and
 * status, tags and assignees are mapped to those of the target, unless the request sets them. If it
 * undoes a move, they get back what that took from them.
 */
export async function moveTaskToProject(
  tx: WriteTx,
  task: TaskToWrite,
  project_id: string,
  input: TaskInput,
  undone = NO_MOVE,
) {
  const { record } = task
  const errors: FieldError[] = []
  const target = await loadProjectContext(tx, project_id)
  if (!target) {
    errors.push(
      fieldError('project_id', 'invalid_reference', 'must be a project that you have access to'),
    )
    return reject(errors)
  }
  const descendants = await loadDescendants(tx, record.id, MAX_SUBTASKS)
  const subtaskIds = descendants.map(({ id }) => id)
  const giveBack = await createGiveBack(tx, target, undone)
  const top = giveBack(record, (await fieldMapping(tx, target, [record]))(record))
  const parent_id = await findFormerParent(tx, record, project_id, undone)
  const base = { ...top.fields, parent_id }
  const { fields, assertNoConflicts } = await resolveTaskInput(
    tx,
    record.id,
    target,
    base,
    input,
    errors,
  )
  const placement = await resolvePlacement(tx, record.id, project_id, input, errors)
  assertNoFieldErrors(errors)
  assertNotArchived(task)
  assertNotArchived(target)
  await assertTreeIsSmallEnough(tx, [record.id, ...subtaskIds], 'moved')
  await assertNoConflicts()

  const position = placement
    ? await rankBeside(tx, { ...placement, project_id, id: null, position: null })
    : top.position
  const subtasks = await loadTaskRecords(tx, subtaskIds)
  const mapSubtask = await fieldMapping(tx, target, subtasks)
  const tasksToMove = [
    { before: record, fields, position },
    ...subtasks.map((before) => {
      const given = giveBack(before, mapSubtask(before))
      // The place that the request has chosen may be where a subtask was.
      return { before, ...given, ...(placement && { position: undefined }) }
    }),
  ]
  const movedTasks = await writeMoves(tx, target, tasksToMove)
  return emitMoves(tx, target, movedTasks)
}

/**
 * Emits the events. Subtask counts change during the move, so the records are read when it is done.
 */
async function emitMoves(
  tx: WriteTx,
  target: TaskProjectContext,
  movedTasks: readonly TaskDiff[],
): Promise<LoadedTask> {
  const changes = new Map(movedTasks.map((change) => [change.before.id, change]))
  const created = new Map<string, Awaited<ReturnType<typeof createNextOccurrence>>>()
  for (const [id, { completed }] of changes)
    if (completed) created.set(id, await createNextOccurrence(tx, target, completed))
  let top: LoadedTask | undefined
  for await (const tasks of loadTaskBatches(tx, [...changes.keys()])) {
    top ??= tasks[0]
    for (const { id, json } of tasks) {
      const change = changes.get(id)
      if (change) await emitTaskChanged(tx, change, json)
      const next = created.get(id)
      if (next) emitTaskCreated(tx, { ...next, json: (await loadTask(tx, next.id)).json })
    }
    await tx.storeLargeEvents()
  }
  if (!top) throw new Error('A move carried nothing')
  return top
}

function reject(errors: readonly FieldError[]): never {
  assertNoFieldErrors(errors)
  throw new Error('There was no fault to refuse')
}

/** Returns a function that maps the fields of these tasks to another project. */
async function fieldMapping(tx: WriteTx, target: TaskProjectContext, tasks: readonly Task[]) {
  const { project_id, statuses } = target
  const distinct = (lists: string[][]) => [...new Set(lists.flat())]
  const assignees = distinct(tasks.map((task) => task.assignee_ids))
  const withAccess = await findMembersWithAccess(tx, project_id, assignees)
  const tags = await findTagsWithSameNames(
    tx,
    project_id,
    distinct(tasks.map((task) => task.tag_ids)),
  )
  return (task: Task): TaskFields => ({
    ...task,
    status: mapStatus(statuses, task).key,
    tag_ids: task.tag_ids.flatMap((id) => tags.get(id) ?? []).toSorted(),
    assignee_ids: task.assignee_ids.filter((id) => withAccess.has(id)),
  })
}

interface TaskToMove {
  before: Task
  fields: TaskFields
  /** Its rank in the target. Defaults to the end of the project. */
  position: string | undefined
}

/** Writes the moves, in this order. */
async function writeMoves(
  tx: WriteTx,
  target: TaskProjectContext,
  tasks: readonly TaskToMove[],
): Promise<TaskDiff[]> {
  const { project_id } = target
  const numbers = await assignNumbers(
    tx,
    tasks.map(({ before }) => before),
    project_id,
  )
  const counters = new TaskCounters()
  const movedTasks: TaskDiff[] = []
  const ranks = tasks.flatMap(({ position }) => position ?? [])
  const lastRow = await tx.one(lastPosition, { project_id })
  let last = [...ranks, ...(lastRow ? [lastRow.position] : [])].toSorted().at(-1)
  for (const { before, fields, position = rankBetween(last, undefined) } of tasks) {
    const number = numbers.get(before.id)
    if (number === undefined) throw new Error('A task moves without a number')
    const short_id = `${target.prefix}-${number}`
    const change = diffTask(tx, before, {
      fields,
      statuses: target.statuses,
      placement: { project_id, number, short_id, position },
    })
    await writeTaskChange(tx, change, counters)
    movedTasks.push(change)
    if (last === undefined || position > last) last = position
  }
  await counters.write(tx)
  return movedTasks
}

/**
 * The number that each task had in the target before, or a new one. The present number keeps
 * resolving to the task.
 */
async function assignNumbers(tx: WriteTx, tasks: readonly Task[], target: string) {
  await tx.runEach(
    insertFormerNumber,
    tasks.map(({ id, project_id, number }) => ({ project_id, number, task_id: id })),
  )
  const task_ids = tasks.map(({ id }) => id)
  const former = await tx.all(formerNumbers, { project_id: target, task_ids })
  await tx.runEach(
    removeFormerNumber,
    former.map(({ number }) => ({ project_id: target, number })),
  )
  const numbers = new Map(former.map(({ task_id, number }) => [task_id, number]))
  const others = task_ids.filter((id) => !numbers.has(id))
  let number = await allocateTaskNumbers(tx, target, others.length)
  for (const id of others) {
    numbers.set(id, number)
    number += 1
  }
  return numbers
}

/** Keeps the number of a task that leaves its project, so that it still resolves to the task. */
const insertFormerNumber = insertRow('task_numbers', 'project_id', 'number', 'task_id')

type FormerNumbersParams = Scoped<{ project_id: string; task_ids: readonly string[] }>

/** The numbers that tasks had in a project before they left it. */
const formerNumbers = query((db, $: FormerNumbersParams, { inList }) =>
  db
    .selectFrom('task_numbers')
    .select(['task_id', 'number'])
    .where(inList('task_id', $.task_ids))
    .where('project_id', '=', $.project_id),
)

/** Removes a former number, because its task has come back and has that number again. */
const removeFormerNumber = command((db, $: Scoped<{ project_id: string; number: number }>) =>
  db
    .deleteFrom('task_numbers')
    .where('project_id', '=', $.project_id)
    .where('number', '=', $.number),
)
