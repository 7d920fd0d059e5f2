import type { WriteTx } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/enqueue-job.ts'
import { countAttempts, limitSecurityEmails } from '../sign-in/attempt-limits.ts'

/**
 * The changes of how somebody can sign in to an account or act for it. An email tells its user of
 * each, because it may be somebody else's.
 */
export const SECURITY_CHANGES = [
  'password_changed',
  'password_reset',
  'mailbox_proved',
  'email_change_requested',
  'email_changed',
  'passkey_added',
  'passkey_removed',
  'company_linked',
  'company_unlinked',
  'second_factor_enabled',
  'second_factor_disabled',
  'second_factor_removed',
  'recovery_codes_renewed',
  'api_key_created',
  'application_authorized',
  'second_factor_guessed',
] as const
export type SecurityChange = (typeof SECURITY_CHANGES)[number]

/**
 * Enqueues the email that tells a user of a change, where mail is set up. It goes to the address
 * that the account has when it is sent, unless `to` is given. Nobody has confirmed that address, so
 * after twenty emails a day nothing more is sent for the account: otherwise it could be used to fill
 * the mailbox of somebody else.
 */
export async function notifyOfSecurityChange(
  tx: WriteTx,
  user_id: string,
  change: SecurityChange,
  to?: string,
): Promise<void> {
  if (!tx.settings.web.mail) return
  if ((await countAttempts(tx, [limitSecurityEmails(user_id)])).refusal) return
  const payload = { user_id, change, at: tx.now }
  // The payload of a job may contain no personal data; the secret is stored encrypted.
  await enqueueJob(tx, { kind: 'security_email', payload, ...(to !== undefined && { secret: to }) })
}
