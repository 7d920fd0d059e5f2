import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import {
  limitResetsByAddress,
  limitResetsByEmail,
  withAttemptLimits,
} from '#auth/sign-in/attempt-limits.ts'
import { markEmailVerified } from '#auth/users/accounts.ts'
import {
  consumeEmailConfirmation,
  findEmailConfirmation,
  loadEmailStatus,
  notifyOfSecurityChange,
  sendConfirmationLink,
} from '#auth/users/email-confirmation.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import type { EmailTemplate } from '#core/mailer.ts'
import { type ActionContext, type ActionDeps, sessionAction } from '#core/session-action.ts'
import { fromJson } from '#lib/json.ts'
import { loadMember } from '#resources/members/membership.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import * as contract from '../internal.ts'
import { lockedPersonById, personById } from '../store.ts'
import { changeMemberProfile } from './change-member-profile.ts'

/**
 * Confirms the address of an account with the link that was sent to it. Only a session of the account
 * can: a person who opens a link by mistake must not confirm the account of a stranger.
 */
export const confirmEmailAction = sessionAction(
  contract.confirmEmail,
  async ({ storage }, { actor, body: { token } }) => {
    const { user_id } = actor
    return storage.write(actor, async (tx) => {
      await assertSessionActive(tx, actor)
      const confirmation = await findEmailConfirmation(tx, token)
      if (confirmation?.user_id !== user_id || !(await consumeEmailConfirmation(tx, token)))
        throw notFound()
      const { email } = confirmation
      const former = await tx.one(lockedPersonById, { id: user_id })
      const isChanged = await changeMemberProfile(tx, user_id, { email })
      await markEmailVerified(tx, user_id)
      if (isChanged) await notifyOfSecurityChange(tx, user_id, 'email_changed', former?.email)
      const reply = fromJson((await loadMember(tx, user_id)).json)
      return { reply, ...(isChanged && { operation_id: tx.operation_id }) }
    })
  },
)

/** Sends the link again: to the address that waits for it, or to the unconfirmed one of the account. */
export const sendConfirmationLinkAction = sessionAction(
  contract.sendEmailConfirmation,
  async (deps, context) => {
    const { user_id } = context.actor
    const email = await deps.storage.read(ANONYMOUS_ACTOR, async (tx) => {
      const { confirmed, sent_to } = await loadEmailStatus(tx, user_id)
      return sent_to ?? (confirmed ? undefined : (await tx.one(personById, { id: user_id }))?.email)
    })
    if (email === undefined) return { reply: {} }
    await limitLinks(deps, context, email)
    await deps.storage.write(context.actor, async (tx) => {
      await assertSessionActive(tx, context.actor)
      await sendConfirmationLink(tx, user_id, email)
    })
    return { reply: {} }
  },
)

/**
 * Limits the links to one mailbox and from one network, together with those for a new password.
 * Throws 429 `too_many_attempts`.
 */
export async function limitLinks(
  { storage }: Pick<ActionDeps, 'storage'>,
  { address }: Pick<ActionContext<Endpoint>, 'address'>,
  email: string,
): Promise<void> {
  // Each link counts as a failed attempt.
  await withAttemptLimits(
    storage,
    [limitResetsByEmail(email), limitResetsByAddress(address)],
    async () => false,
  )
}

/** The email with the link. The secret of the job is the token of the link. */
export const confirmationEmail = (baseUrl: string): EmailTemplate => ({
  kind: 'confirmation_email',
  maxRunning: 2,
  async compose(tx, { secret = '' }) {
    const confirmation = await findEmailConfirmation(tx, secret)
    // It was used, replaced by another or ended by a new password since.
    if (!confirmation) return undefined
    return {
      to: confirmation.email,
      subject: 'Confirm your email address for Docket',
      text: [
        'Hello,',
        'Somebody has entered this address for their Docket account. If it was you, open this link within seven days, in a browser in which you are signed in:',
        `${baseUrl}/confirm-email/${secret}`,
        'If it was not you, ignore this email. Docket sends nothing else to this address until it is confirmed, except what concerns the security of the account.',
      ].join('\n\n'),
    }
  },
})
