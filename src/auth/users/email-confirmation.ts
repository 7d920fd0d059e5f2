import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { DAY_MS } from '#lib/durations.ts'
import { countAttempts, limitSecurityEmails } from '../sign-in/attempt-limits.ts'
import { consumeSignInStep, createSignInStep, findSignInStep } from '../sign-in/sign-in-steps.ts'

/** How long the link to confirm an address is valid. */
const CONFIRMATION_LINK_TTL_MS = 7 * DAY_MS

/**
 * Sends a link to an address of which nobody has proved yet that it is theirs, where mail is set up:
 * that of a new account, or one that a user wants instead of the present one. Such an address gets
 * nothing that somebody has written, because it may be that of a stranger. The user's earlier links
 * become invalid.
 */
export async function sendConfirmationLink(
  tx: WriteTx,
  user_id: string,
  email: string,
): Promise<void> {
  if (!tx.settings.web.mail) return
  await tx.run(removeConfirmations, { user_id })
  const payload = JSON.stringify({ email })
  const token = await createSignInStep(tx, {
    kind: 'email',
    user_id,
    payload,
    lastsMs: CONFIRMATION_LINK_TTL_MS,
  })
  await enqueueJob(tx, { kind: 'confirmation_email', payload: { user_id }, secret: token })
}

/** The same, unless the user has a valid link. */
export async function sendFirstConfirmationLink(
  tx: WriteTx,
  user_id: string,
  email: string,
): Promise<void> {
  const { sent_to } = await loadEmailStatus(tx, user_id)
  if (sent_to === null) await sendConfirmationLink(tx, user_id, email)
}

/** Whether an account's address is confirmed, and which other one waits for its confirmation. */
export async function loadEmailStatus(
  tx: ReadTx,
  user_id: string,
): Promise<{ confirmed: boolean; sent_to: string | null }> {
  const account = await tx.one(confirmedEmailOfUser, { user_id })
  const step = await tx.one(confirmationOfUser, { user_id, now: tx.now })
  return {
    confirmed: account !== undefined && account.email === account.verified_email,
    sent_to: step ? emailOf(step.payload) : null,
  }
}

/** The address to which the link of a token was sent, and its user; undefined if it has expired. */
export async function findEmailConfirmation(tx: ReadTx, token: string) {
  const step = await findSignInStep(tx, 'email', token)
  return step && { user_id: step.user_id, email: emailOf(step.payload) }
}

/** The same, once: of two concurrent requests only one gets it. */
export async function consumeEmailConfirmation(tx: WriteTx, token: string) {
  const step = await consumeSignInStep(tx, 'email', token)
  return step && { user_id: step.user_id, email: emailOf(step.payload) }
}

const emailOf = (payload: string): string => (JSON.parse(payload) as { email: string }).email

const removeConfirmations = unscopedCommand((db, $: { user_id: string }) =>
  db.deleteFrom('sign_in_steps').where('user_id', '=', $.user_id).where('kind', '=', 'email'),
)

const confirmationOfUser = unscopedQuery((db, $: { user_id: string; now: string }) =>
  db
    .selectFrom('sign_in_steps')
    .select('payload')
    .where('user_id', '=', $.user_id)
    .where('kind', '=', 'email')
    .where('expires_at', '>', $.now)
    .limit(1),
)

const confirmedEmailOfUser = unscopedQuery((db, $: { user_id: string }) =>
  db.selectFrom('users').select(['email', 'verified_email']).where('id', '=', $.user_id),
)

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
  'push_device_added',
  'refresh_token_shared',
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
