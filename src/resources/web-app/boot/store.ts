import { sql } from 'kysely'
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

/** How many open tasks are assigned to the actor, and how many of them are overdue. */
export const assignedCounts = query((db, $: Scoped<{ today: string }>) =>
  db
    .selectFrom('task_assignees')
    .innerJoin('tasks', (join) =>
      join
        .onRef('tasks.workspace_id', '=', 'task_assignees.workspace_id')
        .onRef('tasks.id', '=', 'task_assignees.task_id'),
    )
    .select((is) => [
      is.fn.countAll<number>().as('open'),
      sql<number>`coalesce(sum(case when tasks.due_date < ${$.today} then 1 else 0 end), 0)`.as(
        'overdue',
      ),
    ])
    .where('task_assignees.workspace_id', '=', $.workspace_id)
    .where('task_assignees.user_id', '=', $.viewer_id)
    .where('tasks.deleted_at', 'is', null)
    .where('tasks.status_category', 'in', ['backlog', 'unstarted', 'started']),
)
