import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { query, type Scoped } from '#db/core/statement.ts'

/** The names of removed members. */
export const formerMembers = query((db, $: Scoped) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name'])
    .where('workspace_id', '=', $.workspace_id)
    .where('removed_at', 'is not', null)
    .orderBy('users.id')
    .limit(1_000),
)

/**
 * How many open tasks that the actor sees are assigned to the actor, and how many of them are
 * overdue. Cross joins keep SQLite from starting at the projects, which would read all tasks.
 */
export const assignedCounts = query((db, $: Scoped<{ today: string }>) =>
  db
    .selectFrom('task_assignees')
    .crossJoin('tasks')
    .crossJoin('projects')
    .whereRef('tasks.workspace_id', '=', 'task_assignees.workspace_id')
    .whereRef('tasks.id', '=', 'task_assignees.task_id')
    .whereRef('projects.workspace_id', '=', 'tasks.workspace_id')
    .whereRef('projects.id', '=', 'tasks.project_id')
    .select((is) => [
      is.fn.countAll<number>().as('open'),
      sql<number>`coalesce(sum(case when tasks.due_date < ${$.today} then 1 else 0 end), 0)`.as(
        'overdue',
      ),
    ])
    .where('task_assignees.workspace_id', '=', $.workspace_id)
    .where('task_assignees.user_id', '=', $.viewer_id)
    .where('tasks.deleted_at', 'is', null)
    .where('tasks.status_category', 'in', ['backlog', 'unstarted', 'started'])
    .where(isProjectVisible($)),
)
