import { sql } from 'kysely'
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

/**
 * How many open tasks that the actor sees are assigned to the actor, and how many of them are
 * overdue.
 */
export const assignedCounts = query((db, $: Scoped<{ today: string }>) =>
  openAssignedTasks(db, $.viewer_id)
    .where(isProjectVisible($))
    .select((is) => [
      is.fn.countAll<number>().as('open'),
      sql<number>`coalesce(sum(case when tasks.due_date < ${$.today} then 1 else 0 end), 0)`.as(
        'overdue',
      ),
    ]),
)
