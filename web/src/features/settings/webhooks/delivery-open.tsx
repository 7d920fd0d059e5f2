import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Delivery, DeliveryDetails, redeliver } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { agoOf, timeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/webhooks.ts'
import { Button } from '../../../ui/button.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Cell, Row } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { tell } from '../tell.ts'
import { curlOf } from './curl.ts'
import { Exchange } from './exchange.tsx'
import { logTimeOf } from './log-time.ts'
import { deliveryQuery } from './queries.ts'
import { openReplay } from './replay.tsx'

/** All that was sent and answered, attempt by attempt, and what can be done about it. */
export function DeliveryOpen({ delivery, webhook }: { delivery: Delivery; webhook: Webhook }) {
  const { data, error, refetch } = useQuery(deliveryQuery(webhook.id, delivery.id))
  return (
    <Row className="open">
      <Cell>
        {error && <Trouble error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={6} />}
        {data && (
          <>
            <Acts details={data} webhook={webhook} />
            <Exchange details={data} />
            <Attempts details={data} />
          </>
        )}
      </Cell>
    </Row>
  )
}

function Acts({ details, webhook }: { details: DeliveryDetails; webhook: Webhook }) {
  const [busy, setBusy] = useState(false)
  const { id, request, sequence, status, next_attempt_at, attempt_count, is_test } = details
  const off = webhook.is_active ? undefined : m.inactive
  const again = async () => {
    setBusy(true)
    try {
      const sent = { params: { id }, body: {} }
      await call<typeof redeliver>('POST /api/v1/deliveries/:id/redeliver', sent)
      toast({ text: m.redelivered })
      await queries.invalidateQueries({ queryKey: ['deliveries', webhook.id] })
    } catch (error) {
      tell(error)
    }
    setBusy(false)
  }
  return (
    <div className="line">
      <span className="gut" />
      <div className="acts">
        {!is_test && (
          <Button busy={busy} reason={off} onClick={again}>
            {m.redeliver}
          </Button>
        )}
        {request && <Copy text={curlOf(request)}>{m.copyCurl}</Copy>}
        {sequence !== null && (
          <Button kind="plain" reason={off} onClick={() => openReplay(webhook, sequence)}>
            {m.replayFromHere}
          </Button>
        )}
        {status === 'pending' && (
          <span className="quiet">
            {next_attempt_at
              ? m.nextAt(timeOf(next_attempt_at), agoOf(next_attempt_at))
              : attempt_count === 0 && m.held}
          </span>
        )}
      </div>
    </div>
  )
}

function Attempts({ details: { attempts } }: { details: DeliveryDetails }) {
  if (attempts.length === 0) return null
  return (
    <section className="tries" aria-label={m.tries}>
      {attempts.map(({ number, started_at, duration_ms, response_status, error }) => (
        <div key={number} className="line entry">
          <span className="gut">{logTimeOf(started_at)}</span>
          <p>
            {m.tried(number)}
            <span className={error === null ? 'ok' : 'bad'}>
              {m.result(response_status, error === null ? '' : (m.errors[error] ?? error))}
            </span>
            {m.triedIn(duration_ms)}
          </p>
        </div>
      ))}
    </section>
  )
}
