import { type Kysely, sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { command, memoizeByShape, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import type { NotificationRow, Tables } from '#db/schema/tables.ts'
import type { NotificationKind } from '#wire/notification-preferences.ts'

const EXCERPT_LENGTH = 240

type NotificationTimeParams = { now: string }

/** The notifications of the actor, joined with their subjects, which the actor must see now. */
const visibleNotifications = (db: Pick<Kysely<Tables>, 'selectFrom'>, $: Scoped) =>
  db
    .selectFrom('notifications')
    .leftJoin('tasks', 'tasks.id', 'notifications.task_id')
    .leftJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('comments', 'comments.id', 'notifications.subject_id')
    .leftJoin('webhooks', 'webhooks.id', 'notifications.subject_id')
    .leftJoin('pending_operations as approvals', 'approvals.id', 'notifications.subject_id')
    .where('notifications.user_id', '=', $.viewer_id)
    .where('notifications.in_inbox', '=', 1)
    .where((is) =>
      is.or([
        is.and([is('webhooks.id', 'is not', null), sql<boolean>`${$.viewer_sees_all} = 1`]),
        is('approvals.id', 'is not', null),
        is.and([
          is('tasks.id', 'is not', null),
          is('tasks.deleted_at', 'is', null),
          is.or([
            is('notifications.kind', 'not in', ['mentioned', 'commented']),
            is('comments.id', 'is not', null),
          ]),
          isProjectVisible($),
        ]),
      ]),
    )

/** Neither done nor snoozed. */
const isOpen = ($: Scoped<NotificationTimeParams>) =>
  sql<boolean>`notifications.done_at is null and
    (notifications.snoozed_until is null or notifications.snoozed_until <= ${$.now})`

/** With what a person reads of each. */
const listedNotifications = (db: Pick<Kysely<Tables>, 'selectFrom'>, $: Scoped) =>
  visibleNotifications(db, $)
    .leftJoin('users', 'users.id', 'notifications.actor_id')
    .leftJoin('api_keys', 'api_keys.id', 'approvals.credential_id')
    .leftJoin('applications', 'applications.id', 'approvals.credential_id')
    .select([
      'notifications.id',
      'notifications.kind',
      'notifications.detail',
      'notifications.read_at',
      'notifications.done_at',
      'notifications.snoozed_until',
      'notifications.created_at',
      'notifications.actor_id',
      'users.name as actor_name',
      'tasks.id as task_id',
      'tasks.number',
      'tasks.title',
      'tasks.due_date',
      'projects.id as project_id',
      'projects.prefix',
      'comments.id as comment_id',
      'webhooks.id as webhook_id',
      'webhooks.url',
      'approvals.id as approval_id',
      'approvals.endpoint',
      'approvals.record_count',
      sql<string | null>`coalesce(api_keys.name, applications.name)`.as('credential_name'),
      sql<string | null>`substr(comments.body, 1, ${sql.lit(EXCERPT_LENGTH)})`.as('excerpt'),
    ])

/** The newest notifications of the actor after one, except those that they have read or snoozed. */
export const unreadNotificationsAfter = query(
  (db, $: Scoped<NotificationTimeParams & { after: string; limit: number }>) =>
    listedNotifications(db, $)
      .where('notifications.id', '>', $.after)
      .where(isOpen($))
      .where('notifications.read_at', 'is', null)
      .orderBy('notifications.id', 'desc')
      .limit($.limit),
)

interface NotificationQueryShape {
  order: ListOrder
  kind: boolean
  state: 'open' | 'snoozed' | 'done'
}

export const selectNotifications = memoizeByShape(
  ({ order, kind, state }: NotificationQueryShape) =>
    query((db, $: Scoped<PageWindow & NotificationTimeParams & { kind: string }>) => {
      let rows = listedNotifications(db, $)
      if (kind) rows = rows.where('notifications.kind', '=', $.kind as NotificationKind)
      if (state === 'done') rows = rows.where('notifications.done_at', 'is not', null)
      if (state === 'open') rows = rows.where(isOpen($))
      if (state === 'snoozed')
        rows = rows
          .where('notifications.done_at', 'is', null)
          .where('notifications.snoozed_until', '>', $.now)
      return paginate(rows as never, $, 'notifications.id', order) as typeof rows
    }),
)

export type NotificationListRow = NonNullable<ReturnType<typeof selectNotifications>['rowType']>

/** The newest open notifications of the actor, up to a limit. */
export const openNotificationIds = query(
  (db, $: Scoped<NotificationTimeParams & { limit: number }>) =>
    visibleNotifications(db, $)
      .select('notifications.id')
      .where(isOpen($))
      .orderBy('notifications.id', 'desc')
      .limit($.limit),
)

/** About how many tasks and webhooks there are open and unread notifications, of which a limited number is read. */
export const unreadNotificationCount = query(
  (db, $: Scoped<NotificationTimeParams & { limit: number }>) =>
    db
      .selectFrom(
        visibleNotifications(db, $)
          .select(
            sql<string>`coalesce(notifications.task_id, notifications.subject_id)`.as('about_id'),
          )
          .where(isOpen($))
          .where('notifications.read_at', 'is', null)
          .limit($.limit)
          .as('unread'),
      )
      .select((is) => is.fn.count<number>('about_id').distinct().as('count')),
)

type NotificationMarkColumns = Pick<NotificationRow, 'read_at' | 'done_at' | 'snoozed_until'>

/** Sets columns of notifications; those of other users stay unchanged. */
export const setNotificationMarks = memoizeByShape(
  (columns: readonly (keyof NotificationMarkColumns)[]) =>
    command(
      (db, $: Scoped<Partial<NotificationMarkColumns> & { ids: readonly string[] }>, { inList }) =>
        db
          .updateTable('notifications')
          .set(pickSlots($, ...columns) as Partial<NotificationMarkColumns>)
          .where('user_id', '=', $.viewer_id)
          .where(inList('notifications.id', $.ids)),
    ),
)

export const notificationSettingsOfViewer = query((db, $: Scoped) =>
  db.selectFrom('notification_settings').select('wishes').where('user_id', '=', $.viewer_id),
)

export const taskWatchOfViewer = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('tasks')
    .leftJoin('task_watches as watch', (join) =>
      join.onRef('watch.task_id', '=', 'tasks.id').on('watch.user_id', '=', $.viewer_id),
    )
    .leftJoin('task_assignees as given', (join) =>
      join.onRef('given.task_id', '=', 'tasks.id').on('given.user_id', '=', $.viewer_id),
    )
    .select(['watch.is_muted', 'given.user_id as given', 'tasks.created_by_id'])
    .where('tasks.id', '=', $.task_id),
)

export const putTaskWatch = command((db, $: Scoped<{ task_id: string; is_muted: number }>) =>
  db
    .insertInto('task_watches')
    .values({ ...pickSlots($, 'workspace_id', 'task_id', 'is_muted'), user_id: $.viewer_id })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'task_id', 'user_id'])
        .doUpdateSet(pickSlots($, 'is_muted')),
    ),
)
