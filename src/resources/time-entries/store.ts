import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { command, memoizeByShape, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import type { TimeEntryRow } from '#db/schema/tables.ts'
import { timeEntryJson } from '#db/tasks/timers.ts'

/**
 * A time entry of a task that is not deleted, in a project that the actor sees. Cross joins keep SQLite
 * from starting at the tasks, of which it would read those of the whole workspace.
 */
export const timeEntryById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('time_entries')
    .crossJoin('tasks')
    .crossJoin('projects')
    .whereRef('tasks.workspace_id', '=', 'time_entries.workspace_id')
    .whereRef('tasks.id', '=', 'time_entries.task_id')
    .whereRef('projects.workspace_id', '=', 'tasks.workspace_id')
    .whereRef('projects.id', '=', 'tasks.project_id')
    .select([
      'time_entries.id',
      'time_entries.task_id',
      'time_entries.user_id',
      'time_entries.started_at',
      'time_entries.ended_at',
      'time_entries.duration_seconds',
      'time_entries.spent_on',
      'time_entries.note',
      'time_entries.billable',
      'time_entries.updated_at',
      'time_entries.updated_at as revision',
      'tasks.project_id',
      'projects.archived_at',
      timeEntryJson(dialect).as('json'),
    ])
    .where('time_entries.workspace_id', '=', $.workspace_id)
    .where('time_entries.id', '=', $.id)
    .where('tasks.deleted_at', 'is', null)
    .where(isProjectVisible($)),
)

interface TimeEntryQueryShape {
  order: ListOrder
  has: { user: boolean; after: boolean; before: boolean; billable: boolean }
  running: boolean | null
}

interface TimeEntryFilters {
  task_id: string
  user_id: string
  spent_after: string
  spent_before: string
  billable: number
}

/** The time entries of a task; the caller has checked that the actor sees it. */
export const timeEntriesOfTask = memoizeByShape(({ order, has, running }: TimeEntryQueryShape) =>
  query((db, $: Scoped<PageWindow & TimeEntryFilters>, dialect) => {
    let rows = db
      .selectFrom('time_entries')
      .innerJoin('tasks', (join) =>
        join
          .onRef('tasks.workspace_id', '=', 'time_entries.workspace_id')
          .onRef('tasks.id', '=', 'time_entries.task_id'),
      )
      .select([
        'time_entries.id',
        sql.ref<string>(order.column ?? 'time_entries.id').as('key'),
        timeEntryJson(dialect).as('json'),
      ])
      .where('time_entries.workspace_id', '=', $.workspace_id)
      .where('time_entries.task_id', '=', $.task_id)
    if (has.user) rows = rows.where('time_entries.user_id', '=', $.user_id)
    if (has.after) rows = rows.where('time_entries.spent_on', '>=', $.spent_after)
    if (has.before) rows = rows.where('time_entries.spent_on', '<', $.spent_before)
    if (has.billable) rows = rows.where('time_entries.billable', '=', $.billable)
    if (running !== null) {
      rows = rows.where('time_entries.duration_seconds', running ? 'is' : 'is not', null)
    }
    return paginate(rows, $, 'time_entries.id', order)
  }),
)

/** The time zone of a member. */
export const timezoneOfUser = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.timezone')
    .where('memberships.workspace_id', '=', $.workspace_id)
    .where('memberships.user_id', '=', $.user_id),
)

export const insertTimeEntry = command((db, $: Scoped<TimeEntryRow>) =>
  db
    .insertInto('time_entries')
    .values(
      pickSlots(
        $,
        'workspace_id',
        'id',
        'task_id',
        'user_id',
        'started_at',
        'ended_at',
        'duration_seconds',
        'spent_on',
        'note',
        'billable',
        'source',
        'created_by_id',
        'created_at',
        'updated_at',
      ),
    ),
)

/** The columns that an update can change. */
export type TimeEntryColumns = Pick<
  TimeEntryRow,
  'started_at' | 'ended_at' | 'duration_seconds' | 'spent_on' | 'note' | 'billable'
>

export const changeTimeEntry = command(
  (db, $: Scoped<TimeEntryColumns & Pick<TimeEntryRow, 'id' | 'updated_at'>>) =>
    db
      .updateTable('time_entries')
      .set(
        pickSlots(
          $,
          'started_at',
          'ended_at',
          'duration_seconds',
          'spent_on',
          'note',
          'billable',
          'updated_at',
        ),
      )
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)

export const removeTimeEntry = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('time_entries').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
