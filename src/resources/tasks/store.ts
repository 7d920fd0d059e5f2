import { sql } from 'kysely'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { command, query, row, type Scoped, shaped } from '#storage/statement.ts'
import type { ProjectRow, TaskRow } from '#storage/tables.ts'

/** A row of a task without what the engine itself adds. */
export type Row = Omit<TaskRow, 'search_id'>

const COLUMNS = [
  'workspace_id',
  'id',
  'project_id',
  'title',
  'description',
  'status',
  'status_category',
  'completed_at',
  'completed_by_id',
  'canceled_at',
  'priority',
  'priority_rank',
  'assignee_ids',
  'tag_ids',
  'blocked_by_ids',
  'blocking_ids',
  'start_date',
  'due_date',
  'due_at',
  'parent_id',
  'position',
  'estimate_seconds',
  'time_spent_seconds',
  'recurrence',
  'recurred_from_id',
  'custom_fields',
  'external_source',
  'external_id',
  'metadata',
  'comment_count',
  'attachment_count',
  'subtask_count',
  'completed_subtask_count',
  'version',
  'created_by_id',
  'created_at',
  'updated_at',
  'deleted_at',
  'deleted_by_operation_id',
] as const

/** Its number is the last that its project has given out. */
export const insertTask = command((db, $: Scoped<Omit<Row, 'number'>>) =>
  db.insertInto('tasks').values((is) => ({
    ...row($, ...COLUMNS),
    number: is
      .selectFrom('projects')
      .select('last_number')
      .where('projects.workspace_id', '=', $.workspace_id)
      .where('projects.id', '=', $.project_id)
      .$asScalar(),
  })),
)

/** Columns that an operation may set; what it does not name stays as it is. */
export type Settable = Omit<Row, 'workspace_id' | 'id' | 'created_at' | 'created_by_id'>

/** Sets some columns of a task: a statement for each set of columns. */
export const setTask = shaped((columns: readonly (keyof Settable)[]) =>
  command((db, $: Scoped<Partial<Settable> & { id: string }>) =>
    db
      .updateTable('tasks')
      .set(row($, ...columns) as Partial<Settable>)
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
  ),
)

/** The words by which a task is found, for the first time or in place of those before. */
export const writeWords = command((db, $: Scoped<{ id: string; words: string }>, { engine }) => {
  const of = db
    .selectFrom('tasks')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
  // Not as insert … select: SQLite would make the index write out what it holds, each time.
  if (engine === 'sqlite') {
    return db
      .replaceInto('task_words')
      .columns(['rowid', 'words'])
      .expression(sql`values (${of.select('search_id')}, ${$.words})`)
  }
  return db
    .insertInto('task_words')
    .columns(['workspace_id', 'task_id', 'words'])
    .expression(
      of.select((is) => [
        'workspace_id',
        'id',
        is
          .fn<string>('array_to_tsvector', [
            is.fn('string_to_array', [is.val($.words), is.val(' ')]),
          ])
          .as('words'),
      ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'task_id'])
        .doUpdateSet({ words: (is) => is.ref('excluded.words') }),
    )
})

/** The rank of the last task of a project, deleted ones included. */
export const lastPosition = query((db, $: Scoped<{ project_id: string }>) =>
  db
    .selectFrom('tasks')
    .select('position')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .orderBy('position', 'desc')
    .limit(1),
)

type CountColumn = Extract<keyof ProjectRow, `${string}_count`>
const countColumn = (category: StatusCategory): CountColumn => `${category}_count`

/** The next number of a project is given out, to a task that counts in a category. */
export const numberTask = shaped((category: StatusCategory) => {
  const column = countColumn(category)
  return command((db, $: Scoped<{ project_id: string }>) =>
    db
      .updateTable('projects')
      .set((project) => ({
        last_number: project('last_number', '+', 1),
        [column]: project(column, '+', 1),
      }))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.project_id),
  )
})

/** One task more or fewer in a category of a project. */
export const countTask = shaped((category: StatusCategory) => {
  const column = countColumn(category)
  return command((db, $: Scoped<{ project_id: string; by: number }>) =>
    db
      .updateTable('projects')
      .set((project) => ({ [column]: project(column, '+', $.by) }))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.project_id),
  )
})

/** Subtasks more or fewer, and how many of them completed, of a parent. */
export const countSubtask = command(
  (db, $: Scoped<{ parent_id: string; by: number; completed: number }>) =>
    db
      .updateTable('tasks')
      .set((task) => ({
        subtask_count: task('subtask_count', '+', $.by),
        completed_subtask_count: task('completed_subtask_count', '+', $.completed),
      }))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.parent_id),
)

/** The undeleted task, other than `id`, that has a pair of external source and id. */
export const taskOfExternal = query(
  (db, $: Scoped<{ external_source: string; external_id: string; id: string }>) =>
    db
      .selectFrom('tasks')
      .select('id')
      .where('workspace_id', '=', $.workspace_id)
      .where('external_source', '=', $.external_source)
      .where('external_id', '=', $.external_id)
      .where('deleted_at', 'is', null)
      .where('id', '<>', $.id),
)
