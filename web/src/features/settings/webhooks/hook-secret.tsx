import type { Webhook } from '#resources/webhooks/contract.ts'
import { timeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/webhooks.ts'
import { OnceShown } from '../once-shown.tsx'
import { hostOf } from './host.ts'

/** A secret that a webhook was just given. */
export interface MadeSecret {
  webhook: Webhook
  secret: string
  rotated: boolean
  /** RFC 3339. */
  at: string
}

/** The secret on its tear-off. */
export function HookSecret({ made, onDone }: { made: MadeSecret; onDone: () => void }) {
  const { webhook, secret, rotated, at } = made
  const host = hostOf(webhook.url)
  return (
    <OnceShown
      title={rotated ? m.rotatedReady(host) : m.ready(host)}
      secret={secret}
      copyLabel={m.copySecret}
      stub={
        <>
          <b>{m.hint(secret.slice(-4))}</b>
          <span>{timeOf(at)}</span>
          <span className="quiet">{m.stays}</span>
        </>
      }
      loss={{ title: m.uncopiedTitle, text: m.uncopiedWhy, action: m.leave }}
      onDone={onDone}
    >
      <p className="quiet">{m.secretWhy}</p>
    </OnceShown>
  )
}
