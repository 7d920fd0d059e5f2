import { useState } from 'react'
import type { Delivery, getDelivery, testWebhook } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { queryClient } from '../../../../data/cache/query-client.ts'
import { delay } from '../../../../lib/browser/delay.ts'
import { requestEndpoint } from '../../../../lib/http/request-endpoint.ts'
import { webhookMessages } from '../../../../messages/settings/webhooks.ts'
import { announce } from '../../../../ui/feedback/announce.ts'
import { showErrorToast } from '../../../../ui/feedback/error-message.tsx'
import { Button } from '../../../../ui/form/button.tsx'
import { formatDeliveryResult } from './delivery-table-row.tsx'

const POLL_INTERVAL_MS = 400
const MAX_POLLS = 32

/** Sends a test event, and shows the result next to the button. */
export function SendTestButton({ webhook: { id, is_active } }: { webhook: Webhook }) {
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<{ text: string; ok: boolean }>()
  const send = async () => {
    setBusy(true)
    setResult(undefined)
    try {
      const input = { params: { id }, body: {} }
      const test = await requestEndpoint<typeof testWebhook>(
        'POST /api/v1/webhooks/:id/test',
        input,
      )
      const ended = await waitForEnd(test)
      const text = formatTestResult(ended)
      setResult({ text, ok: ended.status === 'succeeded' })
      announce(text)
    } catch (error) {
      showErrorToast(error)
    }
    setBusy(false)
    await queryClient.invalidateQueries({ queryKey: ['deliveries', id] })
  }
  return (
    <>
      {result && <span className={result.ok ? 'ok' : 'bad'}>{result.text}</span>}
      <Button busy={busy} reason={is_active ? undefined : webhookMessages.inactive} onClick={send}>
        {busy ? webhookMessages.testing : webhookMessages.test}
      </Button>
    </>
  )
}

/** Polls a test until it has ended: it has one attempt of at most ten seconds. */
async function waitForEnd(delivery: Delivery): Promise<Delivery> {
  let current = delivery
  for (let poll = 0; poll < MAX_POLLS && current.status === 'pending'; poll++) {
    await delay(POLL_INTERVAL_MS)
    const input = { params: { id: delivery.id } }
    current = await requestEndpoint<typeof getDelivery>('GET /api/v1/deliveries/:id', input)
  }
  return current
}

function formatTestResult(delivery: Delivery): string {
  if (delivery.status === 'pending') return webhookMessages.testPending
  const format =
    delivery.status === 'succeeded' ? webhookMessages.testDone : webhookMessages.testFailed
  return format(formatDeliveryResult(delivery), delivery.duration_ms ?? 0)
}
