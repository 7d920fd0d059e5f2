import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { memoizeByShape, query, type Scoped, type StatementBuilder } from '#db/core/statement.ts'
import { tagJson } from '#resources/tags/store.ts'
import { filterTasks, type TaskSelection } from '#resources/tasks/filters/list-query.ts'
import type { TaskFilterValues } from '#resources/tasks/filters/task-filters.ts'
import { SUMMARY_FIELDS } from './contract.ts'

/** How many tasks of a project are not deleted. */
export const taskCount = query((db, $: Scoped<{ project_id: string }>) =>
  db
    .selectFrom('projects')
    .select(
      sql<number>`backlog_count + unstarted_count + started_count + completed_count + canceled_count`.as(
        'total',
      ),
    )
    .where('id', '=', $.project_id),
)

/** The projects that are not archived and that the viewer sees, and how many open tasks each has. */
export const openProjects = query((db, $: Scoped) =>
  db
    .selectFrom('projects')
    .select([
      'id',
      'statuses',
      sql<number>`backlog_count + unstarted_count + started_count`.as('open'),
    ])
    .where('archived_at', 'is', null)
    .where(isProjectVisible($))
    .orderBy('id'),
)

/** The tags of a project, at most 500. */
export const allTagsOfProject = query((db, $: Scoped<{ project_id: string }>, dialect) =>
  db.selectFrom('tags').select(tagJson(dialect).as('json')).where('project_id', '=', $.project_id),
)

/** The next tasks of a project with a status, in the order of its index. */
export const tasksOfStatus = query(
  (db, $: Scoped<{ project_id: string; status: string; after: string; limit: number }>) =>
    db
      .selectFrom('tasks')
      .innerJoin('projects', 'projects.id', 'tasks.project_id')
      .select(['tasks.project_id', ...SUMMARY_FIELDS.map((name) => `tasks.${name}` as const)])
      .where('tasks.project_id', '=', $.project_id)
      .where('tasks.status', '=', $.status)
      .where('tasks.id', '>', $.after)
      .where('tasks.deleted_at', 'is', null)
      .where(isProjectVisible($))
      .orderBy('tasks.id')
      .limit($.limit),
)

/** The numbers of the tasks of a selection, as the text of a JSON list. */
export const matchingNumbers = memoizeByShape((selection: TaskSelection) =>
  query((db, $: Scoped<TaskFilterValues>, dialect) => {
    const list = sql.raw(dialect.engine === 'sqlite' ? 'json_group_array' : 'json_agg')
    return filterTasks(db as StatementBuilder, $, dialect, selection).select(
      sql<string | null>`cast(${list}(tasks.number order by tasks.number) as text)`.as('numbers'),
    )
  }),
)
