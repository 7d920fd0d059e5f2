import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { WriteTx } from '#core/transaction.ts'
import { addMs, msBetween } from '#lib/days.ts'
import { command, type QueryBuilder, query, type Scoped } from '../core/statement.ts'

/** The maximum duration of a timer and of one time entry. */
export const MAX_TIME_ENTRY_MS = 24 * 60 * 60 * 1000

/** Selects running timers: of some tasks, of all tasks of a project, or of a user. */
export type TimerOwner =
  | { task_ids: readonly string[] }
  | { project_id: string }
  | { user_id: string }

/** The end of a timer that is stopped at an instant: after 1 second to 24 hours (docs/spec/api.md#time-entry). */
export function computeTimerEnd(started_at: string, at: string) {
  const ms = Math.min(Math.max(msBetween(started_at, at), 1_000), MAX_TIME_ENTRY_MS)
  return { ended_at: addMs(started_at, ms), duration_seconds: Math.floor(ms / 1000) }
}

/** Stops running timers now and adds their time to their tasks, without an event. */
export async function stopTimers(tx: WriteTx, owner: TimerOwner): Promise<void> {
  for (const { id, task_id, project_id, started_at, ...entry } of await runningTimers(tx, owner)) {
    const end = computeTimerEnd(started_at ?? tx.now, tx.now)
    const updated_at = nextUpdatedAt(tx, entry.updated_at)
    await tx.run(stopTimer, { id, ...end, updated_at })
    await tx.run(addTimeSpent, { task_id, seconds: end.duration_seconds })
    tx.noteChange({
      noun: 'time_entry',
      id,
      op: 'update',
      task_id,
      project_id,
      revision: updated_at,
    })
  }
}

function runningTimers(tx: WriteTx, owner: TimerOwner) {
  if ('task_ids' in owner) return tx.all(timersOfTasks, owner)
  if ('project_id' in owner) return tx.all(timersOfProject, owner)
  return tx.all(timersOfUser, owner)
}

const runningTimersQuery = (db: QueryBuilder, $: Scoped) =>
  db
    .selectFrom('time_entries')
    .innerJoin('tasks', (join) =>
      join
        .onRef('tasks.workspace_id', '=', 'time_entries.workspace_id')
        .onRef('tasks.id', '=', 'time_entries.task_id'),
    )
    .select([
      'time_entries.id',
      'time_entries.task_id',
      'tasks.project_id',
      'time_entries.started_at',
      'time_entries.updated_at',
    ])
    .where('time_entries.workspace_id', '=', $.workspace_id)
    .where('time_entries.duration_seconds', 'is', null)

const timersOfTasks = query((db, $: Scoped<{ task_ids: readonly string[] }>, { inList }) =>
  runningTimersQuery(db, $).where(inList('time_entries.task_id', $.task_ids)),
)

const timersOfProject = query((db, $: Scoped<{ project_id: string }>) =>
  runningTimersQuery(db, $).where('tasks.project_id', '=', $.project_id),
)

const timersOfUser = query((db, $: Scoped<{ user_id: string }>) =>
  runningTimersQuery(db, $).where('time_entries.user_id', '=', $.user_id),
)

type TimerStopParams = {
  id: string
  ended_at: string
  duration_seconds: number
  updated_at: string
}
const stopTimer = command((db, $: Scoped<TimerStopParams>) =>
  db
    .updateTable('time_entries')
    .set({ ended_at: $.ended_at, duration_seconds: $.duration_seconds, updated_at: $.updated_at })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** Adds to a task's time spent; this is a derived field, so the task's version stays. */
export const addTimeSpent = command((db, $: Scoped<{ task_id: string; seconds: number }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({ time_spent_seconds: task('time_spent_seconds', '+', $.seconds) }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.task_id),
)
