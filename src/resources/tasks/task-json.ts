import { type RawBuilder, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect, FieldSource } from '#db/core/dialect.ts'
import { type QueryBuilder, query, type Scoped } from '#db/core/statement.ts'
import { COLUMN_SOURCES, pickFields, Task } from './fields.ts'

/** The prefix of a task's project where projects are joined. */
const PREFIX = sql`projects.prefix`

/**
 * The JSON of a task. Its lists and counts are stored in the row itself, so that a page of tasks is
 * a single index scan. Needs projects joined, unless `prefix` is an expression without them.
 */
export const taskJson = ({ json }: Dialect, $: Scoped, prefix: RawBuilder<unknown> = PREFIX) =>
  json<Task>('tasks', taskJsonFields($, prefix), STORED_JSON)

/**
 * SQLite stores the JSON of these fields (src/db/migrations/0001-first-schema.ts). A test compares it with
 * them. Fields that are added later come after them.
 */
const STORED_JSON = { from: 'title', to: 'deleted_at', column: 'shown' } as const

/** Where each field comes from: its column, or what is computed from others. */
export const taskJsonFields = ($: Scoped, prefix: RawBuilder<unknown> = PREFIX) => {
  const computed = {
    short_id: { word: [prefix, '-', sql`tasks.number`] },
    url: {
      word: [
        sql`${$.base_url}`,
        '/w/',
        sql`tasks.workspace_id`,
        '/t/',
        prefix,
        '-',
        sql`tasks.number`,
      ],
    },
  } satisfies { [F in Exclude<keyof Task, keyof typeof COLUMN_SOURCES>]: FieldSource }
  return pickFields({ ...COLUMN_SOURCES, ...computed }, TASK_FIELD_NAMES)
}

const TASK_FIELD_NAMES = Object.keys(Task.properties) as (keyof Task)[]

/** Tasks, deleted or not, in projects that the actor sees; the caller adds the columns. */
const tasksOfVisibleProjects = <P>(db: QueryBuilder, $: Scoped<P>) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .where(isProjectVisible($))

/** The same with the columns that operations need. */
const visibleTasks = <P>(db: QueryBuilder, $: Scoped<P>, dialect: Dialect) =>
  tasksOfVisibleProjects(db, $).select([
    'tasks.id',
    'tasks.version as revision',
    'tasks.project_id',
    'tasks.deleted_at',
    'tasks.deleted_by_operation_id',
    'tasks.created_by_id',
    'projects.prefix',
    'projects.archived_at',
    'projects.statuses',
    taskJson(dialect, $).as('json'),
  ])

export const taskById = query((db, $: Scoped<{ id: string }>, dialect) =>
  visibleTasks(db, $, dialect).where('tasks.id', '=', $.id),
)

/**
 * The record of a task that this transaction has just written, in a project whose prefix it knows. It
 * takes half as long as `taskById`, which checks again whether the actor sees the project.
 */
export const writtenTaskRecord = query((db, $: Scoped<{ id: string; prefix: string }>, dialect) =>
  db
    .selectFrom('tasks')
    .select(taskJson(dialect, $, sql`${$.prefix}`).as('json'))
    .where('tasks.id', '=', $.id),
)

/** The record of an undeleted task alone, which is most of what is asked for. */
export const taskRecordById = query((db, $: Scoped<{ id: string }>, dialect) =>
  tasksOfVisibleProjects(db, $)
    .select(['tasks.id', 'tasks.version as revision', taskJson(dialect, $).as('json')])
    .where('tasks.id', '=', $.id)
    .where('tasks.deleted_at', 'is', null),
)

export const tasksById = query((db, $: Scoped<{ ids: readonly string[] }>, dialect) =>
  visibleTasks(db, $, dialect).where(dialect.inList('tasks.id', $.ids)),
)

/** Undeleted tasks that the actor sees, by id. */
export const undeletedTasksByIds = query((db, $: Scoped<{ ids: readonly string[] }>, dialect) =>
  tasksOfVisibleProjects(db, $)
    .select(taskJson(dialect, $).as('json'))
    .where(dialect.inList('tasks.id', $.ids))
    .where('tasks.deleted_at', 'is', null),
)

/** The visible task that has the number in the project with the prefix now. */
export const taskIdByNumber = query((db, $: Scoped<{ prefix: string; number: number }>) =>
  tasksOfVisibleProjects(db, $)
    .innerJoin('project_prefixes', 'project_prefixes.project_id', 'tasks.project_id')
    .select('tasks.id')
    .where('project_prefixes.prefix', '=', $.prefix)
    .where('tasks.number', '=', $.number),
)

/** The visible task that had the number before it moved to another project. */
export const taskIdByFormerNumber = query((db, $: Scoped<{ prefix: string; number: number }>) =>
  tasksOfVisibleProjects(db, $)
    .innerJoin('task_numbers', 'task_numbers.task_id', 'tasks.id')
    .innerJoin('project_prefixes', 'project_prefixes.project_id', 'task_numbers.project_id')
    .select('tasks.id')
    .where('project_prefixes.prefix', '=', $.prefix)
    .where('task_numbers.number', '=', $.number),
)
