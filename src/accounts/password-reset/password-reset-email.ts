import type { EmailTemplate } from '#core/email-template.ts'
import { timestampOf } from '#lib/clock.ts'
import { hashLinkToken } from '#lib/token.ts'
import { extendPasswordReset, passwordResetByHash } from '../store.ts'

/** How long a link is valid after its email was sent. */
export const RESET_TTL_MS = 30 * 60 * 1000

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
