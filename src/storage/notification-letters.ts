import { memberSees } from './seeing.ts'
import { command, query, queryOfAll, row, type Scoped } from './statement.ts'

type Some = { now: string; limit: number }

/** For whom a mail is due: persons of workspaces, who waits longest first. */
export const duePersons = queryOfAll((db, $: Some) =>
  db
    .selectFrom(
      db
        .selectFrom('notifications')
        .select(['workspace_id', 'user_id', 'mail_at'])
        .where('mail_at', '<=', $.now)
        .orderBy('mail_at')
        .limit($.limit)
        .as('due'),
    )
    .select(['workspace_id', 'user_id'])
    .groupBy(['workspace_id', 'user_id']),
)

/** Puts into a letter what is due to a person, and what would be soon. */
export const gather = command(
  (db, $: Scoped<{ user_id: string; letter_id: string; until: string }>) =>
    db
      .updateTable('notifications')
      .set((is) => ({ letter_id: $.letter_id, mail_at: is.val(null) }))
      .where('workspace_id', '=', $.workspace_id)
      .where('user_id', '=', $.user_id)
      .where('mail_at', '<=', $.until),
)

type New = { id: string; user_id: string; next_at: string; created_at: string }

export const insertLetter = command((db, $: Scoped<New>) =>
  db.insertInto('notification_letters').values((is) => ({
    ...row($, 'workspace_id', 'id', 'user_id', 'next_at', 'created_at'),
    attempts: is.lit(0),
  })),
)

/** Letters that are to be sent, or sent again. */
export const dueLetters = queryOfAll((db, $: Some) =>
  db
    .selectFrom('notification_letters')
    .select(['workspace_id', 'id', 'user_id', 'attempts'])
    .where('next_at', '<=', $.now)
    .orderBy('next_at')
    .limit($.limit),
)

/** Puts a letter off until it would be tried again: whoever changes the row sends it now. */
export const claimLetter = command((db, $: Scoped<{ id: string; now: string; next_at: string }>) =>
  db
    .updateTable('notification_letters')
    .set((letter) => ({ attempts: letter('attempts', '+', 1), next_at: $.next_at }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('next_at', '<=', $.now),
)

export const removeLetter = command((db, $: Scoped<{ id: string }>) =>
  db
    .deleteFrom('notification_letters')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const leaveLetter = command((db, $: Scoped<{ letter_id: string }>) =>
  db
    .updateTable('notifications')
    .set((is) => ({ letter_id: is.val(null) }))
    .where('workspace_id', '=', $.workspace_id)
    .where('letter_id', '=', $.letter_id),
)

/** To whom letters go, as long as it is a member and the workspace is not deleted. */
export const reader = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['users.email', 'users.name', 'workspaces.name as workspace'])
    .where('memberships.workspace_id', '=', $.workspace_id)
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null),
)

/** What a letter tells: since then, as far as its reader sees it now, and has not dealt with it already. */
export const contentsOf = query(
  (db, $: Scoped<{ letter_id: string; since: string; limit: number }>) =>
    db
      .selectFrom('notifications')
      .innerJoin('memberships', (join) =>
        join
          .onRef('memberships.workspace_id', '=', 'notifications.workspace_id')
          .onRef('memberships.user_id', '=', 'notifications.user_id'),
      )
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
      .leftJoin('users as actor', 'actor.id', 'notifications.actor_id')
      .select([
        ...(['notifications.kind', 'notifications.detail', 'actor.name as actor'] as const),
        ...([
          'tasks.number',
          'tasks.title',
          'projects.prefix',
          'webhooks.id as webhook_id',
        ] as const),
      ])
      .where('notifications.workspace_id', '=', $.workspace_id)
      .where('notifications.letter_id', '=', $.letter_id)
      .where('notifications.created_at', '>=', $.since)
      .where('notifications.read_at', 'is', null)
      .where('notifications.done_at', 'is', null)
      .where('memberships.removed_at', 'is', null)
      .where((is) =>
        is.or([
          is.and([
            is('webhooks.id', 'is not', null),
            is('memberships.role', 'in', ['owner', 'admin']),
          ]),
          is.and([
            is('tasks.id', 'is not', null),
            is('tasks.deleted_at', 'is', null),
            is.or([
              is('notifications.kind', 'not in', ['mentioned', 'commented']),
              is('comments.id', 'is not', null),
            ]),
            memberSees($),
          ]),
        ]),
      )
      .orderBy('notifications.id')
      .limit($.limit),
)

export type Content = NonNullable<(typeof contentsOf)['gives']>
