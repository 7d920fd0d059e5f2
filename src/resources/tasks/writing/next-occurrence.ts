import type { WriteTx } from '#core/transaction.ts'
import {
  addDays,
  atLeastFirstDay,
  dayIn,
  daysBetween,
  normalizeTimestamp,
  wallTimeOn,
} from '#lib/days.ts'
import { decrementCount, nextDueDate } from '#lib/recurrence.ts'
import { findActiveMembers } from '#resources/members/load.ts'
import {
  DEFAULT_TASK_FIELDS,
  FIELDS_OF_NEXT,
  pickFields,
  type Task,
  type TaskFields,
} from '../fields.ts'
import { defaultStatus } from '../rules/rules.ts'
import type { TaskProjectContext } from './change-task.ts'
import { writeNewTask } from './create-task.ts'

/**
 * Creates the next occurrence of a recurring task that this operation completes (docs/spec/api.md#task), or
 * returns undefined if its rule is exhausted. `task` still has its recurrence.
 */
export async function createNextOccurrence(tx: WriteTx, context: TaskProjectContext, task: Task) {
  const { recurrence } = task
  if (recurrence === null) return undefined
  const timezone = tx.actor.workspace_timezone
  const today = dayIn(timezone, tx.now)
  const { due_date: dueDate } = task
  const day = nextDueDate(recurrence.rrule, {
    basis: recurrence.basis,
    due_date: dueDate ?? today,
    today,
  })
  if (day === undefined) return undefined
  const due_at = task.due_at === null ? null : wallTimeOn(day, timezone, task.due_at)
  // The last day of the year 9999 ends in the next year in UTC.
  if (due_at !== null && normalizeTimestamp(due_at) === undefined) return undefined
  const members = await findActiveMembers(tx, task.assignee_ids)
  const fields: TaskFields = {
    ...DEFAULT_TASK_FIELDS,
    ...pickFields(task, FIELDS_OF_NEXT),
    status: defaultStatus(context.statuses).key,
    assignee_ids: [...members].toSorted(),
    // Moved with the due date, also back, which can lead out of the years that Docket stores.
    start_date:
      task.start_date === null || dueDate === null
        ? null
        : atLeastFirstDay(addDays(task.start_date, daysBetween(dueDate, day))),
    due_date: day,
    due_at,
    recurrence: { ...recurrence, rrule: decrementCount(recurrence.rrule) },
  }
  const created_by_id = tx.actor.user_id ?? task.created_by_id
  return writeNewTask(tx, context, fields, { created_by_id, recurred_from_id: task.id })
}
