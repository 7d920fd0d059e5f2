import { boot } from '../../../data/boot.ts'
import { m } from '../../../messages/members.ts'
import { Copy } from '../../../ui/copy.tsx'
import { FormLine } from '../../../ui/field.tsx'

/** Links to send by hand: they are shown only here. */
export function Links({ made }: { made: readonly { email: string; accept_url: string }[] }) {
  const isMailed = boot.get()?.settings.mail === true
  return (
    <FormLine gutter={made.length}>
      <p>{m.invited(made.length)}</p>
      <p className="hint">{isMailed ? m.invitedMailed : m.invitedNoMail}</p>
      <ul className="links">
        {made.map(({ email, accept_url }) => (
          <li key={email}>
            <span className="clip">{email}</span>
            <code className="clip">{accept_url}</code>
            <Copy text={accept_url} aria-label={m.copyLinkOf(email)}>
              {m.copyLink}
            </Copy>
          </li>
        ))}
      </ul>
      {made.length > 1 && (
        <div className="acts">
          <Copy text={made.map(({ email, accept_url }) => `${email} ${accept_url}`).join('\n')}>
            {m.copyAll}
          </Copy>
        </div>
      )}
    </FormLine>
  )
}
