import type { EmailTemplate } from '#core/email-template.ts'
import type { WriteTx } from '#core/transaction.ts'
import {
  detachNotificationsFromEmail,
  notificationEmailItems,
  notificationEmailRecipient,
} from '#db/notifications/notification-emails.ts'
import { createUnsubscribeToken } from '#db/notifications/unsubscribe.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { MAX_EMAIL_NOTIFICATIONS, renderNotificationEmail } from './notification-email.ts'

/** Older notifications are not sent: they waited for an unavailable mail server too long. */
const MAX_AGE_MS = 4 * DAY_MS

/**
 * The email about the notifications of one person in one workspace that name its job. To an address
 * that nobody has confirmed nothing goes but what `confirmAddress` sends.
 */
export const notificationEmailTemplate = (
  baseUrl: string,
  confirmAddress: (tx: WriteTx, user_id: string, email: string) => Promise<void>,
): EmailTemplate => ({
  kind: 'notification_email',
  maxRunning: 1,
  async compose(tx, { workspace_id, id, payload }) {
    const { user_id = '' } = payload
    const to = await tx.one(notificationEmailRecipient, { user_id })
    const notifications = await tx.all(notificationEmailItems, {
      email_job_id: id,
      since: timestampOf(tx.nowMs - MAX_AGE_MS),
      limit: MAX_EMAIL_NOTIFICATIONS + 1,
    })
    if (!to || notifications.length === 0) return undefined
    // Titles and names are written by people, and the address may be that of a stranger.
    if (to.verified_email !== to.email) {
      await confirmAddress(tx, user_id, to.email)
      return undefined
    }
    const unsubscribe = `${baseUrl}/unsubscribe/${workspace_id}.${createUnsubscribeToken(tx, user_id)}`
    const recipient = { ...to, baseUrl, workspace_id, unsubscribe }
    return { to: to.email, ...renderNotificationEmail(notifications, recipient), unsubscribe }
  },
  async onEnd(tx, { id }, status) {
    // After a failure an operator may run the job again.
    if (status === 'done') await tx.run(detachNotificationsFromEmail, { email_job_id: id })
  },
})
