import { sql } from 'kysely'
import type { Recipient } from './notifications.ts'
import { memberSees } from './seeing.ts'
import { command, commandOfAll, query, type Scoped } from './statement.ts'

/** The zones in which active members of a workspace live. */
export const zonesOfMembers = query((db, $: Scoped) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.timezone')
    .distinct()
    .where('memberships.workspace_id', '=', $.workspace_id)
    .where('memberships.removed_at', 'is', null),
)

/** Whose task is due, and of which nobody has told that person. */
export interface DueFor extends Recipient {
  task_id: string
  due_date: string
}

type Days = { timezone: string; from: string; today: string; limit: number }

/** Open tasks that are due on some days, for those of a zone to whom they are given, and who have not heard of it. */
export const untoldDue = query((db, $: Scoped<Days>) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .innerJoin('task_assignees', (join) =>
      join
        .onRef('task_assignees.workspace_id', '=', 'tasks.workspace_id')
        .onRef('task_assignees.task_id', '=', 'tasks.id'),
    )
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'task_assignees.workspace_id')
        .onRef('memberships.user_id', '=', 'task_assignees.user_id'),
    )
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .leftJoin('notification_settings as settings', (join) =>
      join
        .onRef('settings.workspace_id', '=', 'memberships.workspace_id')
        .onRef('settings.user_id', '=', 'memberships.user_id'),
    )
    .leftJoin('task_watches as watch', (join) =>
      join
        .onRef('watch.workspace_id', '=', 'tasks.workspace_id')
        .onRef('watch.task_id', '=', 'tasks.id')
        .onRef('watch.user_id', '=', 'memberships.user_id'),
    )
    .leftJoin('notifications as told', (join) =>
      join
        .onRef('told.workspace_id', '=', 'tasks.workspace_id')
        .onRef('told.user_id', '=', 'memberships.user_id')
        .on((is) =>
          is(
            'told.key',
            '=',
            sql<string>`case when tasks.due_date = ${$.today} then 'due today ' else 'due overdue ' end
              || tasks.id || ' ' || tasks.due_date`,
          ),
        ),
    )
    .select(['tasks.id as task_id', 'tasks.due_date', 'memberships.user_id'])
    .select(['users.timezone', 'settings.wishes'])
    .where('tasks.workspace_id', '=', $.workspace_id)
    .where('tasks.due_date', '>=', $.from)
    .where('tasks.due_date', '<=', $.today)
    .where('tasks.deleted_at', 'is', null)
    .where('tasks.status_category', 'in', ['backlog', 'unstarted', 'started'])
    .where('projects.archived_at', 'is', null)
    .where('memberships.removed_at', 'is', null)
    .where('users.timezone', '=', $.timezone)
    .where('told.id', 'is', null)
    .where((is) => is.or([is('watch.is_muted', 'is', null), is('watch.is_muted', '=', 0)]))
    .where(memberSees($))
    .orderBy('tasks.due_date')
    .orderBy('tasks.id')
    .limit($.limit),
)

/** How a due task is named once for each person: `untoldDue` looks for the same. */
export const dueKey = (detail: 'today' | 'overdue', task_id: string, due_date: string): string =>
  `due ${detail} ${task_id} ${due_date}`

/** Active webhooks to which everything has failed since before then, and of which nobody has told. */
export const failingWebhooks = query((db, $: Scoped<{ before: string }>) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'failing_since'])
    .where('workspace_id', '=', $.workspace_id)
    .where('is_active', '=', 1)
    .where('failing_since', '<', $.before)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('notifications')
            .select('notifications.id')
            .where('notifications.workspace_id', '=', $.workspace_id)
            .whereRef('notifications.subject_id', '=', 'webhooks.id')
            .where('notifications.detail', '=', 'failing')
            .whereRef('notifications.created_at', '>=', 'webhooks.failing_since'),
        ),
      ),
    ),
)

/** Forgets some that are from before then. */
export const forgetOldTold = commandOfAll((db, $: { before: string; limit: number }) =>
  db
    .deleteFrom('notifications')
    .where((is) =>
      is(
        is.refTuple('workspace_id', 'user_id', 'id'),
        'in',
        is
          .selectFrom('notifications as old')
          .select(['old.workspace_id', 'old.user_id', 'old.id'])
          .where('old.created_at', '<', $.before)
          .orderBy('old.created_at')
          .limit($.limit)
          .$asTuple('workspace_id', 'user_id', 'id'),
      ),
    ),
)

/** Persons of a workspace with more notifications than are kept, and the oldest that is. */
export const crowdedInboxes = query((db, $: Scoped<{ kept: number }>) =>
  db
    .selectFrom('notifications')
    .select(['user_id'])
    .where('workspace_id', '=', $.workspace_id)
    .groupBy('user_id')
    .having((is) => is.fn.countAll<number>(), '>', $.kept),
)

/** Forgets what of a person's is older than so many of its newest. */
export const thinInbox = command((db, $: Scoped<{ user_id: string; kept: number }>) =>
  db
    .deleteFrom('notifications')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id)
    .where('id', '<=', (is) =>
      is
        .selectFrom('notifications as kept')
        .select('kept.id')
        .where('kept.workspace_id', '=', $.workspace_id)
        .where('kept.user_id', '=', $.user_id)
        .orderBy('kept.id', 'desc')
        .limit(is.lit(1))
        .offset($.kept),
    ),
)
