import type { Webhook } from '#resources/webhooks/contract.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { webhookMessages } from '../../../messages/settings/webhooks.ts'
import { OneTimeSecret } from '../one-time-secret.tsx'
import { formatWebhookUrl } from './format-webhook-url.ts'

/** A new secret of a webhook. */
export interface NewWebhookSecret {
  webhook: Webhook
  secret: string
  rotated: boolean
  /** RFC 3339. */
  at: string
}

interface WebhookSecretProps {
  created: NewWebhookSecret
  onDone: () => void
}

/** Shows the new secret of a webhook. */
export function WebhookSecret({ created, onDone }: WebhookSecretProps) {
  const { webhook, secret, rotated, at } = created
  const host = formatWebhookUrl(webhook.url)
  return (
    <OneTimeSecret
      title={rotated ? webhookMessages.rotatedReady(host) : webhookMessages.ready(host)}
      secret={secret}
      copyLabel={webhookMessages.copySecret}
      stub={
        <>
          <b>{webhookMessages.hint(secret.slice(-4))}</b>
          <span>{formatTime(at)}</span>
          <span className="quiet">{webhookMessages.stays}</span>
        </>
      }
      loss={{
        title: webhookMessages.uncopiedTitle,
        text: webhookMessages.uncopiedWhy,
        action: webhookMessages.leave,
      }}
      onDone={onDone}
    >
      <p className="quiet">{webhookMessages.secretWhy}</p>
    </OneTimeSecret>
  )
}
