import { later } from '#core/later.ts'
import type { WriteTx } from '#core/tx.ts'
import { addMs, msBetween } from '#lib/days.ts'
import { command, query, type Scoped, shaped } from './statement.ts'

/** The longest that a timer runs, and that time can be logged in one entry. */
export const DAY_MS = 24 * 60 * 60 * 1000

/** Whose running timers: of a task, of all tasks of a project, or of a person. */
export type Timing = { task_id: string } | { project_id: string } | { user_id: string }

/** How a timer ends when it is stopped at an instant: after 1 second at the least, 24 hours at the most (contract 6.4). */
export function stopped(started_at: string, at: string) {
  const ms = Math.min(Math.max(msBetween(started_at, at), 1_000), DAY_MS)
  return { ended_at: addMs(started_at, ms), duration_seconds: Math.floor(ms / 1000) }
}

/** Stops the running timers now and adds their time to their tasks. No event tells of it. */
export async function stopTimers(tx: WriteTx, whose: Timing): Promise<void> {
  const [by, id] = Object.entries(whose)[0] ?? []
  const running = await tx.all(timersBy(by as keyof typeof COLUMNS), { of: String(id) })
  for (const { id, task_id, project_id, started_at, ...entry } of running) {
    const end = stopped(started_at ?? tx.now, tx.now)
    const updated_at = later(tx, entry.updated_at)
    await tx.run(stopTimer, { id, ...end, updated_at })
    await tx.run(spendTime, { task_id, seconds: end.duration_seconds })
    tx.note({ noun: 'time_entry', id, op: 'update', task_id, project_id, revision: updated_at })
  }
}

const COLUMNS = {
  task_id: 'time_entries.task_id',
  project_id: 'tasks.project_id',
  user_id: 'time_entries.user_id',
} as const

const timersBy = shaped((by: keyof typeof COLUMNS) =>
  query((db, $: Scoped<{ of: string }>) =>
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
      .where(COLUMNS[by], '=', $.of),
  ),
)

type Stop = { id: string; ended_at: string; duration_seconds: number; updated_at: string }
const stopTimer = command((db, $: Scoped<Stop>) =>
  db
    .updateTable('time_entries')
    .set({ ended_at: $.ended_at, duration_seconds: $.duration_seconds, updated_at: $.updated_at })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** Adds to what a task shows as its time spent; a derived field, so no new version. */
export const spendTime = command((db, $: Scoped<{ task_id: string; seconds: number }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({ time_spent_seconds: task('time_spent_seconds', '+', $.seconds) }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.task_id),
)
