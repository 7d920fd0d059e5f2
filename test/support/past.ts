import type { WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { command, row, type Scoped } from '#storage/statement.ts'

/** When a task was made, begun and completed: milliseconds since 1970. */
export interface Past {
  id: string
  created: number
  started?: number
  completed?: number
}

/** Gives a task a past: its times, and the activity that would tell of them. */
export async function live(tx: WriteTx, { id, created, started, completed }: Past): Promise<void> {
  const at = (ms: number) => new Date(ms).toISOString()
  const completed_at = completed === undefined ? null : at(completed)
  await tx.run(date, { id, created_at: at(created), completed_at })
  const change = async (ms: number, from: string, to: string) => {
    const changes = JSON.stringify({ status_category: { from, to } })
    await tx.run(recordAt, { task_id: id, id: newId('act', ms), created_at: at(ms), changes })
  }
  if (started !== undefined) await change(started, 'unstarted', 'started')
  if (completed === undefined) return
  await change(completed, started === undefined ? 'unstarted' : 'started', 'completed')
}

const date = command(
  (db, $: Scoped<{ id: string; created_at: string; completed_at: string | null }>) =>
    db
      .updateTable('tasks')
      .set(row($, 'created_at', 'completed_at'))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)

/** As recordActivity does, at another time than the transaction's. */
const recordAt = command(
  (db, $: Scoped<{ id: string; task_id: string; changes: string; created_at: string }>) =>
    db.insertInto('activity').values({
      ...row($, 'workspace_id', 'id', 'task_id', 'changes', 'created_at'),
      ...{ kind: 'updated', actor_type: 'user', actor_id: null, credential_name: null },
    }),
)
