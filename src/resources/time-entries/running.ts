import type { Operation } from '#core/route.ts'
import { fromJson } from '#lib/json.ts'
import { loadTask } from '#resources/tasks/load.ts'
import { query, type Scoped } from '#storage/statement.ts'
import type { getTimer } from './internal.ts'
import { timeEntryById } from './store.ts'

/** The timer that runs for who asks; none where it runs on a task that the person does not see. */
export const running: Operation<typeof getTimer> = async (tx) => {
  const timer = await tx.one(runningOf, { user_id: tx.actor.user_id ?? '' })
  const entry = timer && (await tx.one(timeEntryById, { id: timer.id }))
  if (!timer || !entry) return { entry: null, task: null }
  const { id, project_id, short_id, title } = fromJson((await loadTask(tx, timer.task_id)).json)
  return { entry: fromJson(entry.json), task: { id, project_id, short_id, title } }
}

/** A person's running timer: a partial unique index holds that there is one at the most. */
const runningOf = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('time_entries')
    .select(['id', 'task_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id)
    .where('duration_seconds', 'is', null),
)
