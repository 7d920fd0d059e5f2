import { sql } from 'kysely'
import { command, memoizeByShape, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import type { ProjectRow, TaskRow } from '#db/schema/tables.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { COLUMN_SOURCES } from './fields.ts'

/** The row of a task, without the column that the database engine adds. */
type StoredTask = Omit<TaskRow, 'search_id'>

const COLUMNS = [
  ...(Object.keys(COLUMN_SOURCES) as (keyof typeof COLUMN_SOURCES)[]).filter(
    (name) => name !== 'number',
  ),
  'workspace_id',
  'priority_rank',
  'deleted_by_operation_id',
] as const

/** Inserts a task with the number that its project allocated last. */
export const insertTask = command((db, $: Scoped<Omit<StoredTask, 'number'>>) =>
  db.insertInto('tasks').values((is) => ({
    ...pickSlots($, ...COLUMNS),
    number: is
      .selectFrom('projects')
      .select('last_number')
      .where('projects.id', '=', $.project_id)
      .$asScalar(),
  })),
)

/** Columns that an operation may set. Columns that it does not name stay as they are. */
export type SettableTaskColumns = Omit<
  StoredTask,
  'workspace_id' | 'id' | 'created_at' | 'created_by_id'
>

/** Sets columns of a task, with one statement for each set of columns. */
export const setTaskColumns = memoizeByShape((columns: readonly (keyof SettableTaskColumns)[]) =>
  command((db, $: Scoped<Partial<SettableTaskColumns> & { id: string }>) =>
    db
      .updateTable('tasks')
      .set(pickSlots($, ...columns) as Partial<SettableTaskColumns>)
      .where('id', '=', $.id),
  ),
)

/** Inserts the search words of a new task. */
export const insertTaskWords = command(
  (db, $: Scoped<{ id: string; words: string }>, { engine }) => {
    if (engine === 'sqlite') {
      return db
        .insertInto('task_words')
        .columns(['rowid', 'words'])
        .expression(
          sql`values ((select search_id from tasks where workspace_id = ${$.workspace_id} and id = ${$.id}), ${$.words})`,
        )
    }
    const words = sql`array_to_tsvector(string_to_array(${$.words}, ' '))`
    return db
      .insertInto('task_words')
      .columns(['workspace_id', 'task_id', 'words'])
      .expression(sql`values (${$.workspace_id}, ${$.id}, ${words})`)
  },
)

/** Inserts or replaces the search words of a task. */
export const writeTaskWords = command(
  (db, $: Scoped<{ id: string; words: string }>, { engine }) => {
    const of = db.selectFrom('tasks').where('id', '=', $.id)
    // Not INSERT … SELECT: SQLite would flush the full-text index each time.
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
  },
)

/** The last rank of a project, including deleted tasks. */
export const lastPosition = query((db, $: Scoped<{ project_id: string }>) =>
  db
    .selectFrom('tasks')
    .select('position')
    .where('project_id', '=', $.project_id)
    .orderBy('position', 'desc')
    .limit(1),
)

type CountColumn = Extract<keyof ProjectRow, `${string}_count`>
const countColumn = (category: StatusCategory): CountColumn => `${category}_count`

/** Allocates the next number of a project, and counts its task in a category. */
export const takeTaskNumber = memoizeByShape((category: StatusCategory) => {
  const column = countColumn(category)
  return command((db, $: Scoped<{ project_id: string }>) =>
    db
      .updateTable('projects')
      .set((project) => ({
        last_number: project('last_number', '+', 1),
        [column]: project(column, '+', 1),
      }))
      .where('id', '=', $.project_id),
  )
})

/** Adjusts the number of tasks in a category of a project. */
export const adjustTaskCount = memoizeByShape((category: StatusCategory) => {
  const column = countColumn(category)
  return command((db, $: Scoped<{ project_id: string; by: number }>) =>
    db
      .updateTable('projects')
      .set((project) => ({ [column]: project(column, '+', $.by) }))
      .where('id', '=', $.project_id),
  )
})

/** Adjusts the numbers of subtasks and of completed subtasks of a parent. */
export const adjustSubtaskCounts = command(
  (db, $: Scoped<{ parent_id: string; by: number; completed: number }>) =>
    db
      .updateTable('tasks')
      .set((task) => ({
        subtask_count: task('subtask_count', '+', $.by),
        completed_subtask_count: task('completed_subtask_count', '+', $.completed),
      }))
      .where('id', '=', $.parent_id),
)

/** The undeleted task with an external source and id, other than the task `id`. */
export const taskByExternalId = query(
  (db, $: Scoped<{ external_source: string; external_id: string; id: string }>) =>
    db
      .selectFrom('tasks')
      .select('id')
      .where('external_source', '=', $.external_source)
      .where('external_id', '=', $.external_id)
      .where('deleted_at', 'is', null)
      .where('id', '<>', $.id),
)
