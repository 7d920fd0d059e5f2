import type { WriteTx } from '#core/transaction.ts'
import { command, pickSlots, type Scoped } from '#db/core/statement.ts'
import { newId } from '#lib/id.ts'

/** When a task was created, started and completed, in milliseconds since 1970. */
export interface TaskHistory {
  id: string
  created: number
  started?: number
  completed?: number
}

/** Backdates a task: sets its timestamps, and inserts the activity of its status changes. */
export async function backdateTask(
  tx: WriteTx,
  { id, created, started, completed }: TaskHistory,
): Promise<void> {
  const at = (ms: number) => new Date(ms).toISOString()
  const completed_at = completed === undefined ? null : at(completed)
  await tx.run(setTimestamps, { id, created_at: at(created), completed_at })
  const change = async (ms: number, from: string, to: string) => {
    const changes = JSON.stringify({ status_category: { from, to } })
    await tx.run(insertActivity, { task_id: id, id: newId('act', ms), created_at: at(ms), changes })
  }
  if (started !== undefined) await change(started, 'unstarted', 'started')
  if (completed === undefined) return
  await change(completed, started === undefined ? 'unstarted' : 'started', 'completed')
}

const setTimestamps = command(
  (db, $: Scoped<{ id: string; created_at: string; completed_at: string | null }>) =>
    db
      .updateTable('tasks')
      .set(pickSlots($, 'created_at', 'completed_at'))
      .where('id', '=', $.id),
)

/** Like recordActivity, but at another time than the transaction's. */
const insertActivity = command(
  (db, $: Scoped<{ id: string; task_id: string; changes: string; created_at: string }>) =>
    db.insertInto('activity').values({
      ...pickSlots($, 'workspace_id', 'id', 'task_id', 'changes', 'created_at'),
      kind: 'updated',
      actor_type: 'user',
      actor_id: null,
      credential_name: null,
    }),
)
