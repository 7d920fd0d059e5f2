import { sql } from 'kysely'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { WriteTx } from '#core/transaction.ts'
import { addMs, msBetween } from '#lib/days.ts'
import { DAY_MS } from '#lib/durations.ts'
import { fromJson } from '#lib/json.ts'
import type { RecordSource } from '#wire/record-fields.ts'
import type { Dialect } from '../core/dialect.ts'
import { command, type QueryBuilder, query, type Scoped } from '../core/statement.ts'

/** The record of a time entry (docs/spec/api.md#time-entry). */
interface TimeEntryRecord {
  id: string
  task_id: string
  project_id: string
  user_id: string
  started_at: string | null
  ended_at: string | null
  duration_seconds: number | null
  is_running: boolean
  spent_on: string
  note: string | null
  billable: boolean
  source: RecordSource
  created_by_id: string
  created_at: string
  updated_at: string
}

/** The JSON of a time entry. Needs its task joined. */
export const timeEntryJson = ({ engine, json }: Dialect) => {
  const running = sql`time_entries.duration_seconds is null`
  return json<TimeEntryRecord>('time_entries', {
    id: 'plain',
    task_id: 'plain',
    project_id: sql.ref('tasks.project_id'),
    user_id: 'plain',
    started_at: 'plain',
    ended_at: 'plain',
    duration_seconds: 'plain',
    is_running:
      engine === 'sqlite' ? sql`json(case when ${running} then 'true' else 'false' end)` : running,
    spent_on: 'plain',
    note: 'plain',
    billable: 'flag',
    source: 'plain',
    created_by_id: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  })
}

/**
 * The open tasks that are assigned to a user, with their projects; deleted ones are left out. Cross
 * joins keep SQLite from starting at the projects, which would read and sort all tasks.
 */
export const openAssignedTasks = (db: QueryBuilder, user_id: string) =>
  db
    .selectFrom('task_assignees')
    .crossJoin('tasks')
    .crossJoin('projects')
    .whereRef('tasks.id', '=', 'task_assignees.task_id')
    .whereRef('projects.id', '=', 'tasks.project_id')
    .where('task_assignees.user_id', '=', user_id)
    .where('tasks.deleted_at', 'is', null)
    .where('tasks.status_category', 'in', ['backlog', 'unstarted', 'started'])

/** The maximum duration of a timer and of one time entry. */
export const MAX_TIME_ENTRY_MS = DAY_MS

/** Selects running timers: of some tasks, of all tasks of a project, or of a user. */
type TimerOwner = { task_ids: readonly string[] } | { project_id: string } | { user_id: string }

/** The end of a timer that is stopped at an instant: after 1 second to 24 hours (docs/spec/api.md#time-entry). */
export function computeTimerEnd(started_at: string, at: string) {
  const ms = Math.min(Math.max(msBetween(started_at, at), 1_000), MAX_TIME_ENTRY_MS)
  return { ended_at: addMs(started_at, ms), duration_seconds: Math.floor(ms / 1000) }
}

/** A stopped timer as it was while it ran. */
type StoppedTimer = Awaited<ReturnType<typeof runningTimers>>[number]

/**
 * Stops running timers now and adds their time to their tasks. Returns them, for the caller to emit
 * their events in the order of docs/spec/api.md#events-of-each-operation.
 */
export async function stopTimers(tx: WriteTx, owner: TimerOwner): Promise<StoppedTimer[]> {
  const timers = await runningTimers(tx, owner)
  for (const { id, task_id, started_at, ...entry } of timers) {
    const end = computeTimerEnd(started_at ?? tx.now, tx.now)
    const updated_at = nextUpdatedAt(tx, entry.updated_at)
    await tx.run(stopTimer, { id, ...end, updated_at })
    await tx.run(addTimeSpent, { task_id, seconds: end.duration_seconds })
  }
  return timers
}

/** Emits `time_entry.updated` for each timer that `stopTimers` has stopped. */
export async function emitTimersStopped(
  tx: WriteTx,
  timers: readonly StoppedTimer[],
): Promise<void> {
  if (timers.length === 0) return
  const before = new Map(timers.map(({ id, json }) => [id, json]))
  for (const { id, task_id, project_id, json } of await tx.all(timeEntriesByIds, {
    ids: [...before.keys()],
  })) {
    const changes = diffRecords(fromJson(before.get(id) ?? json), fromJson(json))
    tx.emit('time_entry.updated', json, { subject_id: task_id, project_id, changes })
  }
}

/** In the order of their ids, in which SQLite would rather read all time entries of the workspace. */
async function runningTimers(tx: WriteTx, owner: TimerOwner) {
  const timers = await readRunningTimers(tx, owner)
  return timers.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

function readRunningTimers(tx: WriteTx, owner: TimerOwner) {
  if ('task_ids' in owner) return tx.all(timersOfTasks, owner)
  if ('project_id' in owner) return tx.all(timersOfProject, owner)
  return tx.all(timersOfUser, owner)
}

const timeEntriesQuery = (db: QueryBuilder, dialect: Dialect) =>
  db
    .selectFrom('time_entries')
    // A cross join keeps SQLite from starting at the tasks.
    .crossJoin('tasks')
    .whereRef('tasks.id', '=', 'time_entries.task_id')
    .select([
      'time_entries.id',
      'time_entries.task_id',
      'tasks.project_id',
      'time_entries.started_at',
      'time_entries.updated_at',
      timeEntryJson(dialect).as('json'),
    ])

const runningTimersQuery = (db: QueryBuilder, dialect: Dialect) =>
  timeEntriesQuery(db, dialect).where('time_entries.duration_seconds', 'is', null)

/** Time entries, also those of deleted tasks. */
const timeEntriesByIds = query((db, $: Scoped<{ ids: readonly string[] }>, dialect) =>
  timeEntriesQuery(db, dialect)
    .where(dialect.inList('time_entries.id', $.ids))
    .orderBy('time_entries.id'),
)

const timersOfTasks = query((db, $: Scoped<{ task_ids: readonly string[] }>, dialect) =>
  runningTimersQuery(db, dialect).where(dialect.inList('time_entries.task_id', $.task_ids)),
)

const timersOfProject = query((db, $: Scoped<{ project_id: string }>, dialect) =>
  runningTimersQuery(db, dialect).where('tasks.project_id', '=', $.project_id),
)

const timersOfUser = query((db, $: Scoped<{ user_id: string }>, dialect) =>
  runningTimersQuery(db, dialect).where('time_entries.user_id', '=', $.user_id),
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
    .where('id', '=', $.id),
)

/** Adds to a task's time spent; this is a derived field, so the task's version stays. */
export const addTimeSpent = command((db, $: Scoped<{ task_id: string; seconds: number }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({ time_spent_seconds: task('time_spent_seconds', '+', $.seconds) }))
    .where('id', '=', $.task_id),
)
