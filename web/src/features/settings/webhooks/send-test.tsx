import { useState } from 'react'
import type { Delivery, getDelivery, testWebhook } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { queries } from '../../../data/refetch.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/webhooks.ts'
import { announce } from '../../../ui/announce.ts'
import { Button } from '../../../ui/button.tsx'
import { tell } from '../tell.ts'
import { resultOf } from './delivery-row.tsx'

const STEP_MS = 400
const MOST_STEPS = 32

/** Sends a test, and tells beside the button how it was answered. */
export function SendTest({ webhook: { id, is_active } }: { webhook: Webhook }) {
  const [busy, setBusy] = useState(false)
  const [told, setTold] = useState<{ text: string; ok: boolean }>()
  const send = async () => {
    setBusy(true)
    setTold(undefined)
    try {
      const sent = { params: { id }, body: {} }
      const test = await call<typeof testWebhook>('POST /api/v1/webhooks/:id/test', sent)
      const ended = await untilEnded(test)
      const text = wordsOf(ended)
      setTold({ text, ok: ended.status === 'succeeded' })
      announce(text)
    } catch (error) {
      tell(error)
    }
    setBusy(false)
    await queries.invalidateQueries({ queryKey: ['deliveries', id] })
  }
  return (
    <>
      {told && <span className={told.ok ? 'ok' : 'bad'}>{told.text}</span>}
      <Button busy={busy} reason={is_active ? undefined : m.inactive} onClick={send}>
        {busy ? m.testing : m.test}
      </Button>
    </>
  )
}

/** A test is one attempt of at most ten seconds: it is asked for until it is over. */
async function untilEnded(delivery: Delivery): Promise<Delivery> {
  let now = delivery
  for (let step = 0; step < MOST_STEPS && now.status === 'pending'; step++) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    const sent = { params: { id: delivery.id } }
    now = await call<typeof getDelivery>('GET /api/v1/deliveries/:id', sent)
  }
  return now
}

function wordsOf(delivery: Delivery): string {
  if (delivery.status === 'pending') return m.testPending
  const words = delivery.status === 'succeeded' ? m.testDone : m.testFailed
  return words(resultOf(delivery), delivery.duration_ms ?? 0)
}
