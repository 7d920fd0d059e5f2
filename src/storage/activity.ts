import type { Changes, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import type { ActivityKind } from '#wire/activity.ts'
import { command, row, type Scoped } from './statement.ts'
import type { ActivityRow } from './tables.ts'

/**
 * Writes down what was done to a task, by whom and with what: kept as long as the task, while events
 * leave the log. That it was made is not written down, for its own row tells it.
 */
export async function recordActivity(
  tx: WriteTx,
  task_id: string,
  kind: Exclude<ActivityKind, 'created'>,
  changes: Changes = {},
): Promise<void> {
  const { type, user_id, credential_name } = tx.actor
  await tx.run(insertActivity, {
    id: newId('act', tx.instant),
    task_id,
    kind,
    changes: JSON.stringify(changes),
    actor_type: type,
    actor_id: user_id,
    credential_name,
    created_at: tx.now,
  })
}

const insertActivity = command((db, $: Scoped<ActivityRow>) =>
  db
    .insertInto('activity')
    .values(
      row(
        $,
        'workspace_id',
        'id',
        'task_id',
        'kind',
        'changes',
        'actor_type',
        'actor_id',
        'credential_name',
        'created_at',
      ),
    ),
)
