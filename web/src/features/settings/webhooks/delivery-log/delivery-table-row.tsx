import type { Delivery } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { formatFullInstant } from '../../../../lib/dates/instant.ts'
import { formatNumber } from '../../../../messages/plural.ts'
import { webhookMessages } from '../../../../messages/settings/webhooks.ts'
import { IconButton } from '../../../../ui/form/button.tsx'
import { TableCell, TableRow } from '../../../../ui/layout/data-table.tsx'
import { DeliveryDetailsRow } from './delivery-details-row.tsx'
import { formatLogTime } from './format-log-time.ts'
import type { EventSummary } from './use-event-summaries.ts'

interface DeliveryTableRowProps {
  delivery: Delivery
  webhook: Webhook
  summary: EventSummary | undefined
  /** Whether its details are open, which the whole row toggles. */
  open: boolean
  onToggle: () => void
}

/** One delivery: time, event type, record, attempt and result. */
export function DeliveryTableRow({
  delivery,
  webhook,
  summary,
  open,
  onToggle,
}: DeliveryTableRowProps) {
  const { event_type, attempt_count, duration_ms, is_test } = delivery
  // The log is in this order; the details have the time of each attempt.
  const at = delivery.created_at
  return (
    <>
      <TableRow aria-selected={open} onClick={onToggle}>
        <TableCell className="gut">
          <time dateTime={at} title={formatFullInstant(at)}>
            {formatLogTime(at)}
          </time>
        </TableCell>
        <TableCell className="mono">{event_type}</TableCell>
        <TableCell className="clip">
          {summary?.shortId && <span className="mono">{summary.shortId} </span>}
          {summary?.text}
        </TableCell>
        <TableCell>
          {attempt_count > 0 && webhookMessages.attempt(attempt_count, is_test ? 1 : 10)}
        </TableCell>
        <TableCell className={getToneClass(delivery)}>{formatDeliveryResult(delivery)}</TableCell>
        <TableCell className="mono end">
          {duration_ms !== null && formatNumber(duration_ms)}
        </TableCell>
        <TableCell className="end">
          <IconButton
            icon={open ? 'down' : 'right'}
            label={webhookMessages.openAt(formatLogTime(at), event_type)}
            aria-expanded={open}
          />
        </TableCell>
      </TableRow>
      {open && <DeliveryDetailsRow delivery={delivery} webhook={webhook} />}
    </>
  )
}

function getToneClass({ status, error }: Pick<Delivery, 'status' | 'error'>): string {
  if (status === 'succeeded') return 'ok'
  return status === 'failed' || error !== null ? 'bad' : 'quiet'
}

/** The result of the last attempt, or why there was none. */
export function formatDeliveryResult({
  status,
  response_status,
  error,
  attempt_count,
}: DeliveryOutcome): string {
  if (attempt_count === 0)
    return status === 'canceled' ? webhookMessages.canceled : webhookMessages.waiting
  return webhookMessages.result(
    response_status,
    error === null ? '' : (webhookMessages.errors[error] ?? error),
  )
}

type DeliveryOutcome = Pick<Delivery, 'status' | 'response_status' | 'error' | 'attempt_count'>
