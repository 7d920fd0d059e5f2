import type { ReadTx } from '#core/transaction.ts'
import { MAX_MARKED_NOTIFICATIONS } from './internal.ts'
import { unreadNotificationCount } from './store.ts'

/** The number of unread rows in the inbox of the actor: tasks and webhooks, not single notifications. */
export async function countUnreadNotifications(tx: ReadTx): Promise<number> {
  const unread = await tx.one(unreadNotificationCount, {
    now: tx.now,
    limit: MAX_MARKED_NOTIFICATIONS,
  })
  return Number(unread?.count ?? 0)
}
