import { type ExpressionBuilder, sql } from 'kysely'
import { memberSeesProject } from '../access/project-visibility.ts'
import { command, query, type Scoped, unscopedCommand, unscopedQuery } from '../core/statement.ts'
import type { Tables } from '../schema/tables.ts'
import type { NotificationRecipient } from './notify.ts'

/** The time zones of the active members of a workspace. */
export const memberTimezones = query((db) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.timezone')
    .distinct()
    .where('memberships.removed_at', 'is', null),
)

/** An assignee who has not been notified yet that a task is due. */
export interface DueTaskRecipient extends NotificationRecipient {
  task_id: string
  due_date: string
}

/** Whether a member has not been notified yet that a task is due, or overdue, on the day `today`. */
const isNotNotified = (
  is: ExpressionBuilder<Tables, 'tasks' | 'memberships'>,
  $: { today: string },
) =>
  // By the index of tasks: while PostgreSQL has no statistics of the table, it would rather compare
  // each task with all notifications of its assignee. The concatenation keeps it from that.
  is(
    is
      .selectFrom('notifications as told')
      .select('told.id')
      .whereRef('told.task_id', '=', 'tasks.id')
      .where(sql<string>`told.user_id || ''`, '=', is.ref('memberships.user_id'))
      .where(
        'told.key',
        '=',
        sql<string>`case when tasks.due_date = ${$.today} then 'due today ' else 'due overdue ' end
              || tasks.id || ' ' || tasks.due_date`,
      ),
    'is',
    null,
  )

type WorkspaceRange = { after: string; through: string }

/** The time zones of the active members of some workspaces. */
export const timezonesInWorkspaces = unscopedQuery((db, $: WorkspaceRange) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.timezone')
    .distinct()
    .where('memberships.workspace_id', '>', $.after)
    .where('memberships.workspace_id', '<=', $.through)
    .where('memberships.removed_at', 'is', null),
)

type DueInZonesParams = WorkspaceRange & { timezones: string[]; from: string; today: string }

/**
 * Workspaces in which somebody in one of the time zones may have to be notified that a task is due.
 * Whether they see the task or mute it is left to `dueTasksToNotify`.
 */
export const workspacesWithDueTasks = unscopedQuery((db, $: DueInZonesParams, dialect) =>
  db
    .selectFrom('workspaces')
    .select('workspaces.id')
    .where('workspaces.id', '>', $.after)
    .where('workspaces.id', '<=', $.through)
    // Not `exists`: PostgreSQL would make it a join, for which it may read the tasks of all workspaces.
    .where((is) =>
      is(
        is
          .selectFrom('tasks')
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
          .select('tasks.id')
          .whereRef('tasks.workspace_id', '=', 'workspaces.id')
          .where('tasks.due_date', '>=', $.from)
          .where('tasks.due_date', '<=', $.today)
          .where('tasks.deleted_at', 'is', null)
          .where('tasks.status_category', 'in', ['backlog', 'unstarted', 'started'])
          .where('memberships.removed_at', 'is', null)
          .where(dialect.inList('users.timezone', $.timezones))
          .where((is) => isNotNotified(is, $))
          .limit(is.lit(1)),
        'is not',
        null,
      ),
    ),
)

/** Workspaces with an active webhook that has only failed since before `before`. */
export const workspacesWithFailingWebhooks = unscopedQuery(
  (db, $: WorkspaceRange & { before: string }) =>
    db
      .selectFrom('webhooks')
      .select('workspace_id as id')
      .distinct()
      .where('workspace_id', '>', $.after)
      .where('workspace_id', '<=', $.through)
      .where('is_active', '=', 1)
      .where('failing_since', '<', $.before),
)

type DueDaysParams = { timezone: string; from: string; today: string; limit: number }

/**
 * Open tasks that are due in a range of days, with the assignees in a time zone who have not been
 * notified of it.
 */
export const dueTasksToNotify = query((db, $: Scoped<DueDaysParams>) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .innerJoin('task_assignees', 'task_assignees.task_id', 'tasks.id')
    .innerJoin('memberships', 'memberships.user_id', 'task_assignees.user_id')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'memberships.user_id')
    .leftJoin('task_watches as watch', (join) =>
      join
        .onRef('watch.task_id', '=', 'tasks.id')
        .onRef('watch.user_id', '=', 'memberships.user_id'),
    )
    .select(['tasks.id as task_id', 'tasks.due_date', 'memberships.user_id'])
    .select(['users.timezone', 'settings.wishes'])
    .where('tasks.due_date', '>=', $.from)
    .where('tasks.due_date', '<=', $.today)
    .where('tasks.deleted_at', 'is', null)
    .where('tasks.status_category', 'in', ['backlog', 'unstarted', 'started'])
    .where('projects.archived_at', 'is', null)
    .where('memberships.removed_at', 'is', null)
    .where('users.timezone', '=', $.timezone)
    .where((is) => isNotNotified(is, $))
    .where((is) => is.or([is('watch.is_muted', 'is', null), is('watch.is_muted', '=', 0)]))
    .where(memberSeesProject($))
    .orderBy('tasks.due_date')
    .orderBy('tasks.id')
    .limit($.limit),
)

/** The key of a due task's notification; the query above builds the same key in SQL. */
export const dueNotificationKey = (
  detail: 'today' | 'overdue',
  task_id: string,
  due_date: string,
): string => `due ${detail} ${task_id} ${due_date}`

/** Active webhooks that have only failed since before `before` and were not reported yet. */
export const failingWebhooks = query((db, $: Scoped<{ before: string }>) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'failing_since'])
    .where('is_active', '=', 1)
    .where('failing_since', '<', $.before)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('notifications')
            .select('notifications.id')
            .whereRef('notifications.subject_id', '=', 'webhooks.id')
            .where('notifications.detail', '=', 'failing')
            .whereRef('notifications.created_at', '>=', 'webhooks.failing_since'),
        ),
      ),
    ),
)

/** Deletes at most `limit` notifications created before `before`. */
export const deleteOldNotifications = unscopedCommand((db, $: { before: string; limit: number }) =>
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

/** Users of a workspace who have more notifications than are kept. */
export const oversizedInboxes = query((db, $: Scoped<{ kept: number }>) =>
  db
    .selectFrom('notifications')
    .select(['user_id'])
    .groupBy('user_id')
    .having((is) => is.fn.countAll<number>(), '>', $.kept),
)

type TrimParams = {
  user_id: string
  /** How many of the newest are left as they are. */
  kept: number
  /** Notifications of due tasks since then are still looked for by `dueTasksToNotify`. */
  since: string
}

/** The last notification of a user that is not among the newest `kept`. */
const lastTrimmedId = (
  is: ExpressionBuilder<Tables, 'notifications'>,
  $: Scoped<Pick<TrimParams, 'user_id' | 'kept'>>,
) =>
  is
    .selectFrom('notifications as kept')
    .select('kept.id')
    .where('kept.user_id', '=', $.user_id)
    .orderBy('kept.id', 'desc')
    .limit(is.lit(1))
    .offset($.kept)

/** Whether a job would create the notification again if its row were deleted. */
const wouldBeRepeated = (
  is: ExpressionBuilder<Tables, 'notifications'>,
  $: Pick<TrimParams, 'since'>,
) =>
  is.or([
    is('kind', '=', 'webhook'),
    is.and([is('kind', '=', 'due'), is('created_at', '>=', $.since)]),
  ])

/**
 * Removes from the inbox, and keeps, the notifications of a user that `trimInbox` would delete if
 * they were not needed: their keys are how a job knows that it has notified the user.
 */
export const hideTrimmedNotifications = command((db, $: Scoped<TrimParams>) =>
  db
    .updateTable('notifications')
    .set({ in_inbox: 0 })
    .where('user_id', '=', $.user_id)
    .where('in_inbox', '=', 1)
    .where('id', '<=', (is) => lastTrimmedId(is, $))
    .where((is) => wouldBeRepeated(is, $)),
)

/** Deletes all but the newest `kept` notifications of a user, and those that are needed. */
export const trimInbox = command((db, $: Scoped<TrimParams>) =>
  db
    .deleteFrom('notifications')
    .where('user_id', '=', $.user_id)
    .where('id', '<=', (is) => lastTrimmedId(is, $))
    .where((is) => is.not(wouldBeRepeated(is, $))),
)
