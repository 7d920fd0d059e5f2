import { useState } from 'react'
import type { rotateSecret, Webhook } from '#resources/webhooks/contract.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/webhooks.ts'
import { openDialog } from '../../../ui/dialog.tsx'
import { FormLine, SelectField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { replace } from './acts.ts'
import { hostOf } from './host.ts'

const OVERLAPS = [86_400, 3_600, 0] as const

/** Asks how long the old secret shall work beside a new one, and makes it. */
export function rotate(webhook: Webhook, onSecret: (secret: string) => void): void {
  openDialog({
    title: m.rotateTitle(hostOf(webhook.url)),
    body: (close) => (
      <RotateForm
        id={webhook.id}
        onCancel={close}
        onDone={(made) => {
          close()
          const { secret, ...shown } = made
          replace(shown)
          if (secret) onSecret(secret)
        }}
      />
    ),
  })
}

interface Props {
  id: string
  onCancel: () => void
  onDone: (made: Webhook) => void
}

function RotateForm({ id, onCancel, onDone }: Props) {
  const [overlap, setOverlap] = useState<number>(OVERLAPS[0])
  const send = async () => {
    const sent = { params: { id }, body: { overlap_seconds: overlap } }
    onDone(await call<typeof rotateSecret>('POST /api/v1/webhooks/:id/rotate-secret', sent))
  }
  return (
    <Form label={m.rotate} onSubmit={send}>
      <FormLine>
        <p>{m.rotateWhy}</p>
      </FormLine>
      <SelectField
        label={m.overlap}
        name="overlap_seconds"
        value={String(overlap)}
        onChange={({ target }) => setOverlap(Number(target.value))}
        options={OVERLAPS.map((one) => ({ value: String(one), label: m.overlaps[one] }))}
      />
      <FormActs onCancel={onCancel}>
        <Submit>{m.rotateDo}</Submit>
      </FormActs>
    </Form>
  )
}
