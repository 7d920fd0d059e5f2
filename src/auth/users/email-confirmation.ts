import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { enqueueJob } from '#db/jobs/enqueue-job.ts'
import { DAY_MS } from '#lib/durations.ts'
import { consumeSignInStep, createSignInStep, findSignInStep } from '../sign-in/sign-in-steps.ts'

/** How long the link to confirm an address is valid. */
export const CONFIRMATION_LINK_TTL_MS = 7 * DAY_MS

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
