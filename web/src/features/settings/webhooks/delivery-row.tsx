import type { Delivery } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { fullOf } from '../../../lib/instant.ts'
import { number } from '../../../messages/plural.ts'
import { m } from '../../../messages/webhooks.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Cell, Row } from '../../../ui/table.tsx'
import type { About } from './about.ts'
import { DeliveryOpen } from './delivery-open.tsx'
import { logTimeOf } from './log-time.ts'

interface Props {
  delivery: Delivery
  webhook: Webhook
  about: About | undefined
  open: boolean
  onToggle: () => void
}

/** An event on its way: when, what, about what, which attempt, how it was answered. */
export function DeliveryRow({ delivery, webhook, about, open, onToggle }: Props) {
  const { event_type, attempt_count, duration_ms, is_test } = delivery
  const at = delivery.last_attempt_at ?? delivery.created_at
  return (
    <>
      <Row aria-selected={open}>
        <Cell className="gut">
          <time dateTime={at} title={fullOf(at)}>
            {logTimeOf(at)}
          </time>
        </Cell>
        <Cell className="mono">{event_type}</Cell>
        <Cell className="clip">
          {about?.no && <span className="mono">{about.no} </span>}
          {about?.text}
        </Cell>
        <Cell>{attempt_count > 0 && m.attempt(attempt_count, is_test ? 1 : 10)}</Cell>
        <Cell className={toneOf(delivery)}>{resultOf(delivery)}</Cell>
        <Cell className="mono end">{duration_ms !== null && number(duration_ms)}</Cell>
        <Cell className="end">
          <IconButton
            icon={open ? 'down' : 'right'}
            label={m.openAt(logTimeOf(at), event_type)}
            aria-expanded={open}
            onClick={onToggle}
          />
        </Cell>
      </Row>
      {open && <DeliveryOpen delivery={delivery} webhook={webhook} />}
    </>
  )
}

function toneOf({ status, error }: Pick<Delivery, 'status' | 'error'>): string {
  if (status === 'succeeded') return 'ok'
  return status === 'failed' || error !== null ? 'bad' : 'quiet'
}

/** How the last attempt was answered, or what the delivery waits for. */
export function resultOf({ status, response_status, error, attempt_count }: Answer): string {
  if (attempt_count === 0) return status === 'canceled' ? m.canceled : m.waiting
  return m.result(response_status, error === null ? '' : (m.errors[error] ?? error))
}

type Answer = Pick<Delivery, 'status' | 'response_status' | 'error' | 'attempt_count'>
