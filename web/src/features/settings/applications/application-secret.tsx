import type { Application } from '#resources/applications/internal.ts'
import { timeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/applications.ts'
import { OnceShown } from '../once-shown.tsx'
import { commandsFor } from './connect.ts'

/** A secret that an application was just given. */
export interface MadeSecret {
  application: Application
  secret: string
  rotated: boolean
  /** RFC 3339. */
  at: string
}

/** The secret on its tear-off, with commands that use it. */
export function ApplicationSecret({ made, onDone }: { made: MadeSecret; onDone: () => void }) {
  const { application, secret, rotated, at } = made
  const { name } = application
  return (
    <OnceShown
      title={rotated ? m.rotatedReady(name) : m.ready(name)}
      secret={secret}
      copyLabel={m.copySecret}
      stub={
        <>
          <b>{m.hint(secret.slice(-4))}</b>
          <span>{timeOf(at)}</span>
          <span className="quiet">{m.stays}</span>
        </>
      }
      example={{
        text: commandsFor(application, location.origin, secret),
        label: m.copyExample,
      }}
      loss={{ title: m.uncopiedTitle, text: m.uncopiedWhy, action: m.leave }}
      onDone={onDone}
    >
      <p className="quiet">{m.secretWhy}</p>
    </OnceShown>
  )
}
