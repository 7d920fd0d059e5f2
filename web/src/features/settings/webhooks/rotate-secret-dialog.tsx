import { useState } from 'react'
import type {
  rotateWebhookSecret,
  Webhook,
  WebhookWithSecret,
} from '#resources/webhooks/contract.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { webhookMessages } from '../../../messages/settings/webhooks.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { FormLine, SelectField } from '../../../ui/form/form-field.tsx'
import { useRequestKeys } from '../../../ui/form/use-request-keys.ts'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { formatWebhookUrl } from './format-webhook-url.ts'
import { cacheWebhook } from './webhook-commands.ts'

/** The offered overlaps in seconds. */
const OVERLAP_SECONDS = [86_400, 3_600, 0] as const

/** Asks how long the old secret still signs besides the new one, and rotates the secret. */
export function openRotateSecretDialog(webhook: Webhook, onSecret: (secret: string) => void): void {
  openDialog({
    title: webhookMessages.rotateTitle(formatWebhookUrl(webhook.url)),
    body: (close) => (
      <RotateSecretForm
        id={webhook.id}
        onCancel={close}
        onDone={(rotated) => {
          close()
          const { secret, ...updated } = rotated
          cacheWebhook(updated)
          onSecret(secret)
        }}
      />
    ),
  })
}

interface RotateSecretFormProps {
  id: string
  onCancel: () => void
  onDone: (rotated: WebhookWithSecret) => void
}

function RotateSecretForm({ id, onCancel, onDone }: RotateSecretFormProps) {
  const [overlap, setOverlap] = useState<number>(OVERLAP_SECONDS[0])
  const keyOf = useRequestKeys()
  const send = async () => {
    const input = { params: { id }, body: { overlap_seconds: overlap } }
    onDone(
      await requestEndpoint<typeof rotateWebhookSecret>(
        'POST /api/v1/webhooks/:id/rotate-secret',
        input,
        { idempotencyKey: keyOf(input) },
      ),
    )
  }
  return (
    <Form label={webhookMessages.rotate} onSubmit={send}>
      <FormLine>
        <p>{webhookMessages.rotateWhy}</p>
      </FormLine>
      <SelectField
        label={webhookMessages.overlap}
        name="overlap_seconds"
        value={String(overlap)}
        onChange={({ target }) => setOverlap(Number(target.value))}
        options={OVERLAP_SECONDS.map((seconds) => ({
          value: String(seconds),
          label: webhookMessages.overlaps[seconds],
        }))}
      />
      <FormActions onCancel={onCancel}>
        <SubmitButton>{webhookMessages.rotateDo}</SubmitButton>
      </FormActions>
    </Form>
  )
}
