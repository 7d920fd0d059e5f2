import { isProjectVisible } from '#db/access/project-visibility.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { openAssignedTasks } from '#db/tasks/timers.ts'

/** The names of removed members. */
export const formerMembers = query((db) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name'])
    .where('removed_at', 'is not', null)
    .orderBy('users.id')
    .limit(1_000),
)

/** The open tasks that the actor sees and is assigned to, as far as they have a due date. */
export const assignedDueTasks = query((db, $: Scoped<{ limit: number }>) =>
  openAssignedTasks(db, $.viewer_id)
    .where(isProjectVisible($))
    .where('tasks.due_date', 'is not', null)
    .select(['tasks.id', 'tasks.due_date'])
    .$narrowType<{ due_date: string }>()
    .orderBy('tasks.due_date')
    .orderBy('tasks.id')
    .limit($.limit),
)
