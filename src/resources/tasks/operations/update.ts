import { assertNoFieldErrors } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import type { FieldError } from '#wire/field-error.ts'
import type { updateTask } from '../contract.ts'
import { projectContextOf, resolveTaskReferences, type TaskToWrite } from '../load.ts'
import { resolvePlacement } from '../rules/rules.ts'
import {
  diffTask,
  resolveTaskInput,
  saveTaskChange,
  type TaskInput,
} from '../writing/change-task.ts'
import { moveTaskToProject } from '../writing/move-task.ts'
import { createNextOccurrence } from '../writing/next-occurrence.ts'
import { rankBeside } from '../writing/rank.ts'
import { emitTaskChanged, emitTaskCreated } from '../writing/task-events.ts'

export const update: Operation<typeof updateTask, TaskToWrite> = (tx, task, { body }) =>
  updateLoadedTask(tx, task, body)

/** Validates the input, changes the task and returns it. */
export async function updateLoadedTask(tx: WriteTx, task: TaskToWrite, sent: TaskInput) {
  const { record } = task
  const input = await resolveTaskReferences(tx, sent)
  const { project_id } = input
  if (project_id !== undefined && project_id !== record.project_id) {
    return moveTaskToProject(tx, task, project_id, input)
  }
  const errors: FieldError[] = []
  const context = projectContextOf(task)
  const { fields, assertNoConflicts } = await resolveTaskInput(
    tx,
    record.id,
    context,
    record,
    input,
    errors,
  )
  const placement = await resolvePlacement(tx, record.id, record.project_id, input, errors)
  assertNoFieldErrors(errors)
  assertNotArchived(task)
  await assertNoConflicts()

  const position =
    placement &&
    (await rankBeside(tx, { ...placement, ...context, id: record.id, position: record.position }))
  const change = diffTask(tx, record, {
    fields,
    statuses: context.statuses,
    placement: position === undefined ? undefined : { position },
  })
  const saved = await saveTaskChange(tx, change, context)
  if (!saved) return task
  const nextTask = change.completed && (await createNextOccurrence(tx, context, change.completed))
  await emitTaskChanged(tx, change, saved.json)
  if (nextTask) emitTaskCreated(tx, nextTask)
  return saved
}
