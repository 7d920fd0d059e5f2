import type { EventContext, WriteTx } from '#core/transaction.ts'
import { notifyAssignees } from '#db/notifications/notify.ts'
import { recordActivity } from '#db/tasks/record-activity.ts'
import type { Json } from '#lib/json.ts'
import type { Task } from '../fields.ts'
import type { TaskDiff } from './change-task.ts'

/** A new task: its record, and fields that would otherwise be parsed from it again. */
type NewTaskRecord = Pick<Task, 'id' | 'project_id' | 'assignee_ids'> & { json: Json<Task> }

/** Emits `task.created`, and `task.assigned` if it has assignees (docs/spec/api.md#events-of-each-operation). */
export function emitTaskCreated(
  tx: WriteTx,
  { id, project_id, assignee_ids, json }: NewTaskRecord,
): void {
  const about = { subject_id: id, project_id }
  tx.emit('task.created', json, about)
  if (assignee_ids.length === 0) return
  const changes = { assignee_ids: { from: [], to: assignee_ids } }
  tx.emit('task.assigned', json, { ...about, changes })
}

/**
 * Emits the events of a change: completed, updated, assigned, or none (docs/spec/api.md#events-of-each-operation). Notifies new
 * assignees and records the activity.
 */
export async function emitTaskChanged(
  tx: WriteTx,
  { before, after, changes, completed }: TaskDiff,
  json: Json<Task>,
): Promise<void> {
  const about: EventContext = {
    subject_id: after.id,
    project_id: after.project_id,
    former_project_id: before.project_id === after.project_id ? null : before.project_id,
    changes,
  }
  const formerAssignees = new Set(before.assignee_ids)
  const newAssignees = after.assignee_ids.filter((id) => !formerAssignees.has(id))
  const isAssigned = newAssignees.length > 0
  const hasOtherChanges = Object.keys(changes).some((field) => field !== 'assignee_ids')
  if (completed) {
    tx.emit('task.completed', json, about)
  } else if (hasOtherChanges || (!isAssigned && 'assignee_ids' in changes)) {
    tx.emit('task.updated', json, about)
  }
  if (isAssigned) tx.emit('task.assigned', json, about)
  await notifyAssignees(tx, after, newAssignees)
  // A change of the position alone is no activity of the task.
  if (Object.keys(changes).some((field) => field !== 'position')) {
    const kind = activityKindOf(before, after, hasOtherChanges)
    await recordActivity(tx, { task_id: after.id, kind, changes })
  }
}

function activityKindOf(before: Task, after: Task, hasOtherChanges: boolean) {
  if (after.project_id !== before.project_id) return 'moved'
  if (after.status_category === 'completed' && before.status_category !== 'completed') {
    return 'completed'
  }
  if (before.status_category === 'completed' && after.status_category !== 'completed') {
    return 'reopened'
  }
  return hasOtherChanges ? 'updated' : 'assigned'
}
