import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  insertRow,
  memoizeByShape,
  pickSlots,
  type QueryBuilder,
  query,
  type Scoped,
} from '#db/core/statement.ts'
import type { TimeEntryRow } from '#db/schema/tables.ts'
import { timeEntryJson } from '#db/tasks/timers.ts'
import { applyTaskFilters, type TaskSelection } from '#resources/tasks/filters/list-query.ts'
import type { TaskFilterValues } from '#resources/tasks/filters/task-filters.ts'

/**
 * Time entries with their tasks and projects. Cross joins keep SQLite from starting at the tasks, of
 * which it would read those of the whole workspace.
 */
const fromTimeEntries = (db: QueryBuilder) =>
  db
    .selectFrom('time_entries')
    .crossJoin('tasks')
    .crossJoin('projects')
    .whereRef('tasks.id', '=', 'time_entries.task_id')
    .whereRef('projects.id', '=', 'tasks.project_id')

/** A time entry of a task that is not deleted, in a project that the actor sees. */
export const timeEntryById = query((db, $: Scoped<{ id: string }>, dialect) =>
  fromTimeEntries(db)
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
    .where('time_entries.id', '=', $.id)
    .where('tasks.deleted_at', 'is', null)
    .where(isProjectVisible($)),
)

/** Which filters a list of time entries has. */
interface TimeEntryFilterShape {
  has: { user: boolean; after: boolean; before: boolean; billable: boolean }
  running: boolean | null
}

interface TimeEntryFilters {
  user_id: string
  spent_after: string
  spent_before: string
  billable: number
}

/**
 * What a list is read by: entries whose ids are known, running timers, or an index in the order of the
 * list: of a task, a person, billable or other time, or all days.
 */
export type TimeEntryLead = 'ids' | 'running' | 'task' | 'user' | 'billable' | 'day'

/**
 * Adds the filters. SQLite may use only the index of the lead: it takes all columns for equally
 * selective, and would read what a person has logged in the whole workspace for one task.
 */
function filterTimeEntries<DB, T extends keyof DB, O>(
  selection: SelectQueryBuilder<DB, T, O>,
  $: Scoped<TimeEntryFilters>,
  { withoutIndex }: Dialect,
  { has, running }: TimeEntryFilterShape,
  lead: TimeEntryLead,
) {
  const isWalk = lead !== 'ids' && lead !== 'running'
  const conditions: [isUsed: boolean, mayUseIndex: boolean, condition: RawBuilder<SqlBool>][] = [
    [has.user, lead === 'user', sql`time_entries.user_id = ${$.user_id}`],
    [has.after, isWalk, sql`time_entries.spent_on >= ${$.spent_after}`],
    [has.before, isWalk, sql`time_entries.spent_on < ${$.spent_before}`],
    [has.billable, lead === 'billable', sql`time_entries.billable = ${$.billable}`],
    [running === true, lead === 'running', sql`time_entries.duration_seconds is null`],
    [running === false, true, sql`time_entries.duration_seconds is not null`],
  ]
  let rows = selection
  for (const [isUsed, mayUseIndex, condition] of conditions)
    if (isUsed) rows = rows.where(mayUseIndex ? condition : withoutIndex(condition))
  return rows
}

/** The time entries of a task; the caller has checked that the actor sees it. */
export const timeEntriesOfTask = memoizeByShape(
  ({ order, ...filters }: TimeEntryFilterShape & { order: ListOrder }) =>
    query((db, $: Scoped<PageWindow & TimeEntryFilters & { task_id: string }>, dialect) => {
      const rows = db
        .selectFrom('time_entries')
        .innerJoin('tasks', 'tasks.id', 'time_entries.task_id')
        .select(pageColumns(dialect, order))
        .where('time_entries.task_id', '=', $.task_id)
      const filtered = filterTimeEntries(rows, $, dialect, filters, 'task')
      return paginate(filtered, $, 'time_entries.id', order)
    }),
)

interface TimeEntryListShape extends TimeEntryFilterShape {
  order: ListOrder
  tasks: TaskSelection
  lead: TimeEntryLead
}

/** Values of a list of all tasks, of which `task_id` and `entry_ids` are those of a lead. */
type TimeEntryListValues = PageWindow &
  TimeEntryFilters &
  TaskFilterValues & { task_id: string; entry_ids: readonly string[] }

/** The time entries of tasks that are not deleted, in projects that the actor sees. */
export const selectTimeEntries = memoizeByShape(
  ({ order, tasks, lead, ...filters }: TimeEntryListShape) =>
    query((db, $: Scoped<TimeEntryListValues>, dialect) => {
      const entries = fromTimeEntries(db)
        .$if(lead === 'task', (all) => all.where('time_entries.task_id', '=', $.task_id))
        .$if(lead === 'ids', (all) => all.where(dialect.inList('time_entries.id', $.entry_ids)))
      const visible = applyTaskFilters(entries, $, dialect, { ...tasks, hasSelectedIds: false })
      const rows = filterTimeEntries(visible, $, dialect, filters, lead)
      return paginate(rows.select(pageColumns(dialect, order)), $, 'time_entries.id', order)
    }),
)

const pageColumns = (dialect: Dialect, { column }: ListOrder) =>
  [
    'time_entries.id',
    sql.ref<string>(column ?? 'time_entries.id').as('key'),
    timeEntryJson(dialect).as('json'),
  ] as const

/** The running timer of a user, on whichever task. */
export const runningTimerOfUser = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('time_entries')
    .select('id')
    .where('user_id', '=', $.user_id)
    .where('duration_seconds', 'is', null),
)

/** Whether time was logged on a task, also by a timer that runs. */
export const anyEntryOfTask = query((db, $: Scoped<{ task_id: string }>) =>
  db.selectFrom('time_entries').select('id').where('task_id', '=', $.task_id).limit(1),
)

/** The time zone of a member. */
export const timezoneOfUser = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.timezone')
    .where('memberships.user_id', '=', $.user_id),
)

export const insertTimeEntry = insertRow(
  'time_entries',
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
      .where('id', '=', $.id),
)

export const removeTimeEntry = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('time_entries').where('id', '=', $.id),
)
