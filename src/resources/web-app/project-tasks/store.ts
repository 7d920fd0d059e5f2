import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { tagJson } from '#resources/tags/store.ts'
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
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.project_id),
)

/** The tags of a project, at most 500. */
export const allTagsOfProject = query((db, $: Scoped<{ project_id: string }>, dialect) =>
  db
    .selectFrom('tags')
    .select(tagJson(dialect).as('json'))
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id),
)

/** The next tasks of a project with a status, in the order of its index. */
export const tasksOfStatus = query(
  (db, $: Scoped<{ project_id: string; status: string; after: string; limit: number }>) =>
    db
      .selectFrom('tasks')
      .innerJoin('projects', (join) =>
        join
          .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
          .onRef('projects.id', '=', 'tasks.project_id'),
      )
      .select(SUMMARY_FIELDS.map((name) => `tasks.${name}` as const))
      .where('tasks.workspace_id', '=', $.workspace_id)
      .where('tasks.project_id', '=', $.project_id)
      .where('tasks.status', '=', $.status)
      .where('tasks.id', '>', $.after)
      .where('tasks.deleted_at', 'is', null)
      .where(isProjectVisible($))
      .orderBy('tasks.id')
      .limit($.limit),
)
