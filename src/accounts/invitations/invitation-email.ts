import type { EmailTemplate } from '#core/email-template.ts'
import { hashLinkToken } from '#lib/token.ts'
import { invitationByHash } from '#resources/invitations/store.ts'

/** The email with the link of an invitation. The secret of the job is the token of the link. */
export const invitationEmail = (baseUrl: string): EmailTemplate => ({
  kind: 'invitation_email',
  maxRunning: 1,
  async compose(tx, { secret = '' }) {
    const invitation = await tx.one(invitationByHash, {
      hash: hashLinkToken(secret.split('.')[0] ?? ''),
      now: tx.now,
    })
    // It was used, revoked or replaced since.
    if (!invitation) return undefined
    const { email, role, workspace_name, invited_by_name, verified_email } = invitation
    // To an address that nobody has confirmed goes no name: people could write anything there.
    const isConfirmed = verified_email === email
    const inviter = isConfirmed ? invited_by_name : 'Somebody'
    const workspace = isConfirmed ? `the workspace ${workspace_name}` : 'a workspace'
    return {
      to: email,
      subject: isConfirmed
        ? `${inviter} invited you to ${workspace_name} on Docket`
        : 'You are invited to a workspace on Docket',
      text: `${inviter} invited you to join ${workspace} on Docket as ${role}.

To accept, open this link within seven days:

${baseUrl}/invite/${secret}

If you did not expect this invitation, ignore this email. Nothing happens until you accept.
`,
    }
  },
})
