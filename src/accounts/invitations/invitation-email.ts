import type { EmailTemplate } from '#core/email-template.ts'
import { hashLinkToken } from '#lib/token.ts'
import { invitationByHash } from '#resources/invitations/store.ts'

/** The email with the link of an invitation. The secret of the job is the token of the link. */
export const invitationEmail = (baseUrl: string): EmailTemplate => ({
  kind: 'invitation_email',
  maxRunning: 1,
  async compose(tx, { secret = '' }) {
    const invitation = await tx.one(invitationByHash, { hash: hashLinkToken(secret), now: tx.now })
    // It was used, revoked or replaced since.
    if (!invitation) return undefined
    const { email, role, workspace_name, invited_by_name: inviter } = invitation
    return {
      to: email,
      subject: `${inviter} invited you to ${workspace_name} on Docket`,
      text: `${inviter} invited you to join the workspace ${workspace_name} on Docket as ${role}.

To accept, open this link within seven days:

${baseUrl}/invite/${secret}

If you did not expect this invitation, ignore this email. Nothing happens until you accept.
`,
    }
  },
})
