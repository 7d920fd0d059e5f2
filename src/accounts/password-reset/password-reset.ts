import {
  limitByAddress,
  limitResetsByAddress,
  limitResetsByEmail,
  withAttemptLimits,
} from '#auth/sign-in/attempt-limits.ts'
import { preparePassword, setPassword } from '#auth/users/accounts.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { proveMailbox } from '#auth/users/user-access.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { ApiError, notFound } from '#core/api-error.ts'
import type { EmailTemplate } from '#core/mailer.ts'
import { type ActionDeps, sessionAction } from '#core/session-action.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { timestampOf } from '#lib/clock.ts'
import { hashLinkToken, newLinkToken } from '#lib/token.ts'
import * as contract from '../contract.ts'
import { startSession, toSignInReply } from '../sign-in/start-session.ts'
import { assertNotSsoOnly } from '../sso/sso-only.ts'
import {
  extendPasswordReset,
  insertPasswordReset,
  lockedPersonById,
  passwordResetByHash,
  personByEmail,
  removePasswordReset,
} from '../store.ts'

/** How long a link is valid after its email was sent. */
const RESET_TTL_MS = 30 * 60 * 1000

/** The email with a password reset link. The secret of the job is the token of the link. */
export const passwordResetEmail = (baseUrl: string): EmailTemplate => ({
  kind: 'password_reset_email',
  maxRunning: 2,
  async compose(tx, { secret = '' }) {
    const link = { hash: hashLinkToken(secret) }
    const reset = await tx.one(passwordResetByHash, link)
    // The password or the address has changed since.
    if (!reset) return undefined
    // While the mail server was down, nobody has had the link.
    await tx.run(extendPasswordReset, { ...link, expires_at: timestampOf(tx.nowMs + RESET_TTL_MS) })
    return {
      to: reset.email,
      subject: 'Reset your Docket password',
      text: [
        // No name: nobody may have confirmed yet that the address is theirs.
        'Hello,',
        'Use this link to choose a new password. It works once, within 30 minutes:',
        `${baseUrl}/reset/${secret}`,
        'If you did not request this, ignore this email. Your password stays unchanged.',
      ].join('\n\n'),
    }
  },
})

/**
 * Responds immediately and always alike, so that neither the response nor its time reveals whether
 * there is an account. The link is only sent by email.
 */
export const requestPasswordResetAction = sessionAction(
  contract.requestPasswordReset,
  async (deps, { body, address }) => {
    assertNotSsoOnly(deps)
    sendResetLink(deps, body.email, address).catch((err: unknown) => {
      if (!(err instanceof ApiError))
        deps.log.error({ err }, 'Failed to create a password reset link')
    })
    return { reply: {} }
  },
)

async function sendResetLink(deps: ActionDeps, email: string, address: string): Promise<void> {
  const { storage, hasMail } = deps
  if (!hasMail) return
  // This counts as a failed attempt, which limits the emails to one mailbox and from one network.
  await withAttemptLimits(
    storage,
    [limitResetsByEmail(email), limitResetsByAddress(address)],
    async () => false,
  )
  const token = newLinkToken()
  await storage.write(ANONYMOUS_ACTOR, async (tx) => {
    const account = await tx.one(personByEmail, { email })
    if (!account) return
    await tx.run(insertPasswordReset, {
      hash: hashLinkToken(token),
      user_id: account.id,
      created_at: tx.now,
      expires_at: timestampOf(tx.nowMs + RESET_TTL_MS),
    })
    await enqueueJob(tx, {
      kind: 'password_reset_email',
      payload: { user_id: account.id },
      secret: token,
    })
  })
}

/** The link proves control of the mailbox, so its user is accepted as the account's owner. */
export const completePasswordResetAction = sessionAction(
  contract.completePasswordReset,
  async (deps, context) => {
    assertNotSsoOnly(deps)
    const { body, address } = context
    const { storage } = deps
    const link = { hash: hashLinkToken(body.token) }
    let user_id = ''
    const isTokenValid = () =>
      storage.read(ANONYMOUS_ACTOR, async (tx) => {
        const reset = await tx.one(passwordResetByHash, link)
        user_id = reset?.user_id ?? ''
        return reset !== undefined && reset.expires_at > tx.now
      })
    if (!(await withAttemptLimits(storage, [limitByAddress(address)], isTokenValid)))
      throw notFound()
    const newPassword = await preparePassword(body.password, { account: user_id, address })
    const outcome = await storage.write(createUserActor(user_id), async (tx) => {
      await tx.one(lockedPersonById, { id: user_id })
      const reset = await tx.one(passwordResetByHash, link)
      // Of two concurrent requests, only one deletes the row.
      const isFirst = (await tx.run(removePasswordReset, link)) === 1
      if (!reset || !isFirst || reset.expires_at <= tx.now) throw notFound()
      await setPassword(tx, reset.user_id, newPassword.hash)
      if (reset.verified_email !== reset.email) await proveMailbox(tx, reset.user_id)
      else await notifyOfSecurityChange(tx, reset.user_id, 'password_reset')
      const { user_id: id, last_workspace_id } = reset
      const { revoke_access: revokes_access } = body
      return startSession(tx, deps, context, { id, last_workspace_id, by: 'link', revokes_access })
    })
    return toSignInReply(deps, outcome)
  },
)
