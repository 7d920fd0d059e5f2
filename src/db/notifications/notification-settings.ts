import type { WriteTx } from '#core/transaction.ts'
import type { NotificationPreferences } from '#wire/notification-preferences.ts'
import { command, pickSlots, query, type Scoped } from '../core/statement.ts'
import { parseNotificationPreferences } from './notify.ts'

/** Saves a user's notification preferences in the transaction's workspace. */
export const saveNotificationPreferences = (
  tx: WriteTx,
  user_id: string,
  wishes: NotificationPreferences,
) => tx.run(upsertPreferences, { user_id, wishes: JSON.stringify(wishes) })

/**
 * Stops all notification emails of the workspace to a user, including those already queued; the inbox
 * settings stay. Returns whether the user is a member.
 */
export async function stopNotificationEmails(tx: WriteTx, user_id: string): Promise<boolean> {
  const member = await tx.one(memberPreferences, { user_id })
  if (!member) return false
  const { kinds, digest_hour } = parseNotificationPreferences(member.wishes)
  const withoutMail = (name: keyof typeof kinds) => ({
    inbox: kinds[name].inbox,
    mail: 'never' as const,
  })
  await saveNotificationPreferences(tx, user_id, {
    kinds: {
      mentioned: withoutMail('mentioned'),
      assigned: withoutMail('assigned'),
      commented: withoutMail('commented'),
      due: withoutMail('due'),
      webhook: withoutMail('webhook'),
    },
    digest_hour,
  })
  await tx.run(cancelDueEmails, { user_id })
  return true
}

type NotificationUserParams = { user_id: string }

const memberPreferences = query((db, $: Scoped<NotificationUserParams>) =>
  db
    .selectFrom('memberships')
    .leftJoin('notification_settings as settings', (join) =>
      join
        .onRef('settings.workspace_id', '=', 'memberships.workspace_id')
        .onRef('settings.user_id', '=', 'memberships.user_id'),
    )
    .select('settings.wishes')
    .where('memberships.workspace_id', '=', $.workspace_id)
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null),
)

const upsertPreferences = command((db, $: Scoped<NotificationUserParams & { wishes: string }>) =>
  db
    .insertInto('notification_settings')
    .values(pickSlots($, 'workspace_id', 'user_id', 'wishes'))
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'user_id']).doUpdateSet(pickSlots($, 'wishes')),
    ),
)

const cancelDueEmails = command((db, $: Scoped<NotificationUserParams>) =>
  db
    .updateTable('notifications')
    .set({ mail_at: null, email_job_id: null })
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)
