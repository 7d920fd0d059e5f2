import type { WriteTx } from '#core/tx.ts'
import type { NotificationWishes } from '#wire/notifications.ts'
import { wishesOf } from './notifications.ts'
import { command, query, row, type Scoped } from './statement.ts'

/** Keeps what a person wants to be told in the workspace of the transaction. */
export const keepWishes = (tx: WriteTx, user_id: string, wishes: NotificationWishes) =>
  tx.run(putWishes, { user_id, wishes: JSON.stringify(wishes) })

/**
 * Sends a person no more mails of the workspace; what it is told in the inbox stays. What was about to
 * go does not go. Tells whether there is such a member.
 */
export async function stopMails(tx: WriteTx, user_id: string): Promise<boolean> {
  const found = await tx.one(wishesAmongMembers, { user_id })
  if (!found) return false
  const { kinds, digest_hour } = wishesOf(found.wishes)
  const never = (name: keyof typeof kinds) => ({ inbox: kinds[name].inbox, mail: 'never' as const })
  await keepWishes(tx, user_id, {
    kinds: {
      mentioned: never('mentioned'),
      assigned: never('assigned'),
      commented: never('commented'),
      due: never('due'),
      webhook: never('webhook'),
    },
    digest_hour,
  })
  await tx.run(forgetMails, { user_id })
  await tx.run(dropLettersOf, { user_id })
  return true
}

/** What a person was told goes with its membership, and so do the mails about it. */
export async function forgetTold(tx: WriteTx, user_id: string): Promise<void> {
  await tx.run(dropLettersOf, { user_id })
  await tx.run(dropToldOf, { user_id })
}

type Of = { user_id: string }

const wishesAmongMembers = query((db, $: Scoped<Of>) =>
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

const putWishes = command((db, $: Scoped<Of & { wishes: string }>) =>
  db
    .insertInto('notification_settings')
    .values(row($, 'workspace_id', 'user_id', 'wishes'))
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'user_id']).doUpdateSet(row($, 'wishes')),
    ),
)

const forgetMails = command((db, $: Scoped<Of>) =>
  db
    .updateTable('notifications')
    .set({ mail_at: null, letter_id: null })
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

const dropLettersOf = command((db, $: Scoped<Of>) =>
  db
    .deleteFrom('notification_letters')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

const dropToldOf = command((db, $: Scoped<Of>) =>
  db
    .deleteFrom('notifications')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)
