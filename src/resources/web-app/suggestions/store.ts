import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'

/** The visible projects with these prefixes, one row for each present or former one. */
export const projectsByPrefixes = query((db, $: Scoped<{ prefixes: string[] }>, { inList }) =>
  db
    .selectFrom('projects')
    .innerJoin('project_prefixes', (on) =>
      on.onRef('project_prefixes.project_id', '=', 'projects.id'),
    )
    .select(['projects.id', 'projects.prefix', 'project_prefixes.prefix as known_as'])
    .where(inList('project_prefixes.prefix', $.prefixes))
    .where(isProjectVisible($))
    .orderBy('projects.id')
    .orderBy('project_prefixes.prefix'),
)

type TaskNumberParams = { project_ids: readonly string[]; numbers: readonly number[] }

/** Undeleted tasks with these numbers; the caller has checked that the actor sees the projects. */
export const tasksByNumbers = query((db, $: Scoped<TaskNumberParams>, { inList, inNumberList }) =>
  db
    .selectFrom('tasks')
    .select(['id', 'project_id', 'number', 'title'])
    .where(inList('tasks.project_id', $.project_ids))
    .where(inNumberList('tasks.number', $.numbers))
    .where('deleted_at', 'is', null),
)

/** The last deletion of a task, with its actor. */
export const lastDeletion = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('activity')
    .select('actor_id')
    .where('task_id', '=', $.task_id)
    .where('kind', '=', sql.lit('deleted'))
    .orderBy('id', 'desc')
    .limit(1),
)

/** Who deleted a task last, as SQL. */
const deleterOfTask = sql<string | null>`(select actor_id from activity
  where activity.workspace_id = tasks.workspace_id and activity.task_id = tasks.id
    and activity.kind = 'deleted'
  order by activity.id desc limit 1)`

/** How many direct subtasks the deletion of a task has taken along, as SQL. */
const subtasksDeletedWithTask = sql<number>`(select count(*) from tasks as subtasks
  where subtasks.workspace_id = tasks.workspace_id and subtasks.parent_id = tasks.id
    and subtasks.deleted_by_operation_id = tasks.deleted_by_operation_id)`

/** The visible tasks of the trash, without those that were deleted with their parent. */
export const selectDeletedTasks = memoizeByShape((order: ListOrder) =>
  query((db, $: Scoped<PageWindow & { trash_since: string }>) => {
    const rows = db
      .selectFrom('tasks')
      .innerJoin('projects', (on) => on.onRef('projects.id', '=', 'tasks.project_id'))
      .leftJoin('tasks as parents', (on) =>
        on
          .onRef('parents.id', '=', 'tasks.parent_id')
          .onRef('parents.deleted_by_operation_id', '=', 'tasks.deleted_by_operation_id'),
      )
      .select([
        'tasks.id',
        'projects.prefix',
        'tasks.number',
        'tasks.title',
        'tasks.project_id',
        'tasks.created_by_id',
        'tasks.deleted_at',
        deleterOfTask.as('deleted_by_id'),
        subtasksDeletedWithTask.as('subtask_count'),
      ])
      .where('tasks.deleted_at', '>', $.trash_since)
      .where('parents.id', 'is', null)
      .where(isProjectVisible($))
    return paginate(rows as never, $, 'tasks.id', order) as typeof rows
  }),
)
