import { truncateDescription } from '#core/record-diff.ts'
import type { FieldChanges, WriteTx } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import type { ActivityKind } from '#wire/activity-kinds.ts'
import { insertRow } from '../core/statement.ts'

/** A change to a task. Its creation is not recorded, because the task's own row shows it. */
export interface TaskActivity {
  task_id: string
  kind: Exclude<ActivityKind, 'created'>
  changes?: FieldChanges
}

/**
 * Records what the actor changed in a task. Activity is kept as long as the task, whereas events are
 * removed from the log after a while.
 */
export const recordActivity = (tx: WriteTx, activity: TaskActivity): Promise<void> =>
  recordActivities(tx, [activity])

/** Records several activities without waiting between the statements. */
export function recordActivities(tx: WriteTx, activities: readonly TaskActivity[]): Promise<void> {
  const { type, user_id, credential_name } = tx.actor
  const { operation_id } = tx
  const rows = activities.map(({ task_id, kind, changes = {} }) => ({
    id: newId('act', tx.nowMs),
    task_id,
    kind,
    changes: JSON.stringify(truncateDescription(changes)),
    actor_type: type,
    actor_id: user_id,
    credential_name,
    operation_id,
    created_at: tx.now,
  }))
  return tx.runEach(insertActivity, rows)
}

const insertActivity = insertRow(
  'activity',
  'id',
  'task_id',
  'kind',
  'changes',
  'actor_type',
  'actor_id',
  'credential_name',
  'operation_id',
  'created_at',
)
