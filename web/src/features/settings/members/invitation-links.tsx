import { bootState } from '../../../data/session/boot.ts'
import { memberMessages } from '../../../messages/settings/members.ts'
import { CopyButton } from '../../../ui/form/copy-button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'

interface InvitationLinksProps {
  invitations: readonly { email: string; accept_url: string }[]
}

/** The links of new invitations, to send by hand; they are shown only here. */
export function InvitationLinks({ invitations }: InvitationLinksProps) {
  const isMailed = bootState.get()?.settings.mail === true
  return (
    <FormLine gutter={invitations.length}>
      <p>{memberMessages.invited(invitations.length)}</p>
      <p className="hint">
        {isMailed ? memberMessages.invitedMailed : memberMessages.invitedNoMail}
      </p>
      <ul className="links">
        {invitations.map(({ email, accept_url }) => (
          <li key={email}>
            <span className="clip">{email}</span>
            <code className="clip">{accept_url}</code>
            <CopyButton text={accept_url} aria-label={memberMessages.copyLinkOf(email)}>
              {memberMessages.copyLink}
            </CopyButton>
          </li>
        ))}
      </ul>
      {invitations.length > 1 && (
        <div className="acts">
          <CopyButton
            text={invitations.map(({ email, accept_url }) => `${email} ${accept_url}`).join('\n')}
          >
            {memberMessages.copyAll}
          </CopyButton>
        </div>
      )}
    </FormLine>
  )
}
