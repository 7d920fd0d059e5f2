import { type Kysely, sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, row, type Scoped, shaped } from '#storage/statement.ts'
import type { NotificationRow, Tables } from '#storage/tables.ts'
import type { NotificationKind } from '#wire/notifications.ts'

const EXCERPT = 240

type Bound = { now: string }

/** The notifications of the actor that are about what it sees now, with what they are about beside. */
const seen = (db: Pick<Kysely<Tables>, 'selectFrom'>, $: Scoped) =>
  db
    .selectFrom('notifications')
    .leftJoin('tasks', (join) =>
      join
        .onRef('tasks.workspace_id', '=', 'notifications.workspace_id')
        .onRef('tasks.id', '=', 'notifications.task_id'),
    )
    .leftJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .leftJoin('comments', (join) =>
      join
        .onRef('comments.workspace_id', '=', 'notifications.workspace_id')
        .onRef('comments.id', '=', 'notifications.subject_id'),
    )
    .leftJoin('webhooks', (join) =>
      join
        .onRef('webhooks.workspace_id', '=', 'notifications.workspace_id')
        .onRef('webhooks.id', '=', 'notifications.subject_id'),
    )
    .where('notifications.workspace_id', '=', $.workspace_id)
    .where('notifications.user_id', '=', $.viewer_id)
    .where('notifications.in_inbox', '=', 1)
    .where((is) =>
      is.or([
        is.and([is('webhooks.id', 'is not', null), sql<boolean>`${$.viewer_sees_all} = 1`]),
        is.and([
          is('tasks.id', 'is not', null),
          is('tasks.deleted_at', 'is', null),
          is.or([
            is('notifications.kind', 'not in', ['mentioned', 'commented']),
            is('comments.id', 'is not', null),
          ]),
          visible($),
        ]),
      ]),
    )

/** Neither done nor to come back later. */
const OPEN = ($: Scoped<Bound>) =>
  sql<boolean>`notifications.done_at is null and
    (notifications.snoozed_until is null or notifications.snoozed_until <= ${$.now})`

interface Shape {
  order: Order
  kind: boolean
  state: 'open' | 'snoozed' | 'done'
}

/** Those of a state, page by page. */
export const notificationsWhere = shaped(({ order, kind, state }: Shape) =>
  query((db, $: Scoped<Window & Bound & { kind: string }>) => {
    let found = seen(db, $)
      .leftJoin('users', 'users.id', 'notifications.actor_id')
      .select([
        ...(['notifications.id', 'notifications.kind', 'notifications.detail'] as const),
        ...(['notifications.read_at', 'notifications.done_at'] as const),
        ...(['notifications.snoozed_until', 'notifications.created_at'] as const),
        ...(['notifications.actor_id', 'users.name as actor_name'] as const),
        ...(['tasks.id as task_id', 'tasks.number', 'tasks.title', 'tasks.due_date'] as const),
        ...(['projects.id as project_id', 'projects.prefix'] as const),
        ...(['comments.id as comment_id', 'webhooks.id as webhook_id', 'webhooks.url'] as const),
        sql<string | null>`substr(comments.body, 1, ${sql.lit(EXCERPT)})`.as('excerpt'),
      ])
    if (kind) found = found.where('notifications.kind', '=', $.kind as NotificationKind)
    if (state === 'done') found = found.where('notifications.done_at', 'is not', null)
    if (state === 'open') found = found.where(OPEN($))
    if (state === 'snoozed')
      found = found
        .where('notifications.done_at', 'is', null)
        .where('notifications.snoozed_until', '>', $.now)
    return paged(found as never, $, 'notifications.id', order) as typeof found
  }),
)

export type Shown = NonNullable<ReturnType<typeof notificationsWhere>['gives']>

/** Which of the actor's are open: the newest, so many at most. */
export const openIds = query((db, $: Scoped<Bound & { limit: number }>) =>
  seen(db, $)
    .select('notifications.id')
    .where(OPEN($))
    .orderBy('notifications.id', 'desc')
    .limit($.limit),
)

/** How many are open and not read; no more than a limit are counted. */
export const unreadCount = query((db, $: Scoped<Bound & { limit: number }>) =>
  db
    .selectFrom(
      seen(db, $)
        .select('notifications.id')
        .where(OPEN($))
        .where('notifications.read_at', 'is', null)
        .limit($.limit)
        .as('unread'),
    )
    .select((is) => is.fn.countAll<number>().as('count')),
)

type Mark = Pick<NotificationRow, 'read_at' | 'done_at' | 'snoozed_until'>

/** Marks those of some that are the actor's. */
export const markSome = shaped((columns: readonly (keyof Mark)[]) =>
  command((db, $: Scoped<Partial<Mark> & { ids: readonly string[] }>, { among }) =>
    db
      .updateTable('notifications')
      .set(row($, ...columns) as Partial<Mark>)
      .where('workspace_id', '=', $.workspace_id)
      .where('user_id', '=', $.viewer_id)
      .where(among('notifications.id', $.ids)),
  ),
)

export const settingsOf = query((db, $: Scoped) =>
  db
    .selectFrom('notification_settings')
    .select('wishes')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.viewer_id),
)

export const watchOf = query((db, $: Scoped<{ task_id: string }>) =>
  db
    .selectFrom('tasks')
    .leftJoin('task_watches as watch', (join) =>
      join
        .onRef('watch.workspace_id', '=', 'tasks.workspace_id')
        .onRef('watch.task_id', '=', 'tasks.id')
        .on('watch.user_id', '=', $.viewer_id),
    )
    .leftJoin('task_assignees as given', (join) =>
      join
        .onRef('given.workspace_id', '=', 'tasks.workspace_id')
        .onRef('given.task_id', '=', 'tasks.id')
        .on('given.user_id', '=', $.viewer_id),
    )
    .select(['watch.is_muted', 'given.user_id as given', 'tasks.created_by_id'])
    .where('tasks.workspace_id', '=', $.workspace_id)
    .where('tasks.id', '=', $.task_id),
)

export const putWatch = command((db, $: Scoped<{ task_id: string; is_muted: number }>) =>
  db
    .insertInto('task_watches')
    .values({ ...row($, 'workspace_id', 'task_id', 'is_muted'), user_id: $.viewer_id })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'task_id', 'user_id']).doUpdateSet(row($, 'is_muted')),
    ),
)
