import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { rolesWith } from '#wire/rights.ts'
import { memberSeesProject } from '../access/project-visibility.ts'
import { command, query, type Scoped, unscopedQuery } from '../core/statement.ts'
import { stopNotificationEmails } from './notify.ts'

const PURPOSE = 'unsubscribe '

/** A token for an email that allows only to stop the emails to this user of this workspace. */
export const createUnsubscribeToken = (tx: WriteTx, user_id: string): string =>
  tx.encrypt(PURPOSE + user_id)

/**
 * Stops the emails of the user and workspace in the token `<workspace>.<sealed>`; repeating it is
 * harmless. Returns false for a foreign token, or if the user is no member.
 */
export async function unsubscribe(storage: Storage, token: string): Promise<boolean> {
  const match = /^(wsp_[0-9a-z]{26})\.([\w-]{40,512})$/.exec(token)
  const [, workspace_id = '', sealed = ''] = match ?? []
  if (!match) return false
  return storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
    const purposeAndUser = decryptToken(tx, sealed)
    if (!purposeAndUser?.startsWith(PURPOSE)) return false
    return stopNotificationEmails(tx, purposeAndUser.slice(PURPOSE.length))
  })
}

/** Decrypts a token; undefined if it was not encrypted by this installation. */
function decryptToken(tx: WriteTx, sealed: string): string | undefined {
  try {
    return tx.decrypt(sealed)
  } catch {
    return undefined
  }
}

type DueBatchParams = { now: string; limit: number }

/** Members of workspaces for whom an email is due, longest waiting first. */
export const usersWithDueEmails = unscopedQuery((db, $: DueBatchParams) =>
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

/** Assigns a user's notifications that are due up to `until` to the email of a job. */
export const assignNotificationsToEmail = command(
  (db, $: Scoped<{ user_id: string; email_job_id: string; until: string }>) =>
    db
      .updateTable('notifications')
      .set((is) => ({ email_job_id: $.email_job_id, mail_at: is.val(null) }))
      .where('user_id', '=', $.user_id)
      .where('mail_at', '<=', $.until),
)

export const detachNotificationsFromEmail = command((db, $: Scoped<{ email_job_id: string }>) =>
  db
    .updateTable('notifications')
    .set((is) => ({ email_job_id: is.val(null) }))
    .where('email_job_id', '=', $.email_job_id),
)

/** The recipient of an email, while they are a member and the workspace is not deleted. */
export const notificationEmailRecipient = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['users.email', 'users.verified_email', 'users.name', 'workspaces.name as workspace'])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null),
)

/** The unread notifications of an email that its recipient may still see, created since `since`. */
export const notificationEmailItems = query(
  (db, $: Scoped<{ email_job_id: string; since: string; limit: number }>) =>
    db
      .selectFrom('notifications')
      .innerJoin('memberships', 'memberships.user_id', 'notifications.user_id')
      .leftJoin('tasks', 'tasks.id', 'notifications.task_id')
      .leftJoin('projects', 'projects.id', 'tasks.project_id')
      .leftJoin('comments', 'comments.id', 'notifications.subject_id')
      .leftJoin('webhooks', 'webhooks.id', 'notifications.subject_id')
      .leftJoin('pending_operations as approvals', 'approvals.id', 'notifications.subject_id')
      .leftJoin('users as actor', 'actor.id', 'notifications.actor_id')
      .select([
        'notifications.kind',
        'notifications.detail',
        'actor.name as actor',
        'tasks.number',
        'tasks.title',
        'projects.prefix',
        'webhooks.id as webhook_id',
        'approvals.id as approval_id',
        'approvals.endpoint',
      ])
      .where('notifications.email_job_id', '=', $.email_job_id)
      .where('notifications.created_at', '>=', $.since)
      .where('notifications.read_at', 'is', null)
      .where('notifications.done_at', 'is', null)
      .where('memberships.removed_at', 'is', null)
      .where((is) =>
        is.or([
          is.and([
            is('webhooks.id', 'is not', null),
            is('memberships.role', 'in', rolesWith('manage_workspace')),
          ]),
          is('approvals.id', 'is not', null),
          is.and([
            is('tasks.id', 'is not', null),
            is('tasks.deleted_at', 'is', null),
            is.or([
              is('notifications.kind', 'not in', ['mentioned', 'commented']),
              is('comments.id', 'is not', null),
            ]),
            memberSeesProject($),
          ]),
        ]),
      )
      .orderBy('notifications.id')
      .limit($.limit),
)

export type NotificationEmailItem = NonNullable<(typeof notificationEmailItems)['rowType']>
