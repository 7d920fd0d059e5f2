import type { Application } from '#resources/applications/internal.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { applicationMessages } from '../../../messages/settings/applications.ts'
import { OneTimeSecret } from '../one-time-secret.tsx'
import { formatOAuthCommands } from './oauth-commands.ts'

/** A new secret of an application. */
export interface NewApplicationSecret {
  application: Application
  secret: string
  rotated: boolean
  /** RFC 3339. */
  at: string
}

interface ApplicationSecretProps {
  created: NewApplicationSecret
  onDone: () => void
}

/** Shows a new secret, with commands that use it. */
export function ApplicationSecret({ created, onDone }: ApplicationSecretProps) {
  const { application, secret, rotated, at } = created
  const { name } = application
  return (
    <OneTimeSecret
      title={rotated ? applicationMessages.rotatedReady(name) : applicationMessages.ready(name)}
      secret={secret}
      copyLabel={applicationMessages.copySecret}
      stub={
        <>
          <b>{applicationMessages.hint(secret.slice(-4))}</b>
          <span>{formatTime(at)}</span>
          <span className="quiet">{applicationMessages.stays}</span>
        </>
      }
      example={{
        text: formatOAuthCommands(application, location.origin, secret),
        label: applicationMessages.copyExample,
      }}
      loss={{
        title: applicationMessages.uncopiedTitle,
        text: applicationMessages.uncopiedWhy,
        action: applicationMessages.leave,
      }}
      onDone={onDone}
    >
      <p className="quiet">{applicationMessages.secretWhy}</p>
    </OneTimeSecret>
  )
}
