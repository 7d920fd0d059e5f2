import { viewerId } from '#core/actor.ts'
import { assertNoFieldErrors } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { notifyAssignees } from '#db/notifications/notify.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { Static } from '#wire/schema-builders.ts'
import type { createTask, NewTask } from '../contract.ts'
import { loadProjectContext, resolveTaskReferences } from '../load.ts'
import { defaultStatus, resolvePlacement } from '../rules/rules.ts'
import { newTaskFields, resolveTaskInput } from '../writing/change-task.ts'
import { writeNewTask } from '../writing/create-task.ts'
import { emitTaskCreated } from '../writing/task-events.ts'

export const create: Operation<typeof createTask> = (tx, _, { body }) =>
  createTaskFromInput(tx, body)

/** In a new task, null is the same as an absent field (docs/spec/api.md#fields-in-request-bodies). */
const withoutNulls = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)) as T

/** Validates the input, creates the task and returns it. */
export async function createTaskFromInput(tx: WriteTx, input: Static<typeof NewTask>) {
  const { project_id, ...fields } = await resolveTaskReferences(tx, withoutNulls(input))
  const errors: FieldError[] = []
  const context = await loadProjectContext(tx, project_id)
  if (!context) {
    errors.push(
      fieldError('project_id', 'invalid_reference', 'must be a project that you have access to'),
    )
    assertNoFieldErrors(errors)
    throw new Error('unreachable')
  }
  const base = newTaskFields(fields.title, defaultStatus(context.statuses).key)
  const { fields: taskFields, assertNoConflicts } = await resolveTaskInput(
    tx,
    null,
    context,
    base,
    fields,
    errors,
  )
  const placement = await resolvePlacement(tx, null, project_id, fields, errors)
  assertNoFieldErrors(errors)
  assertNotArchived(context)
  await assertNoConflicts()
  const task = await writeNewTask(tx, context, taskFields, {
    created_by_id: viewerId(tx.actor),
    placement,
  })
  emitTaskCreated(tx, task)
  // Not in `emitTaskCreated`: the next occurrence of a recurring task notifies nobody.
  await notifyAssignees(tx, task, task.assignee_ids)
  return task
}
