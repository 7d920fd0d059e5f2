import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Delivery, DeliveryDetails, redeliver } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { showToast } from '../../../../data/app/toasts.ts'
import { queryClient } from '../../../../data/cache/query-client.ts'
import { formatRelative, formatTime } from '../../../../lib/dates/instant.ts'
import { requestEndpoint } from '../../../../lib/http/request-endpoint.ts'
import { webhookMessages } from '../../../../messages/settings/webhooks.ts'
import { ErrorMessage, showErrorToast } from '../../../../ui/feedback/error-message.tsx'
import { Button } from '../../../../ui/form/button.tsx'
import { CopyButton } from '../../../../ui/form/copy-button.tsx'
import { TableCell, TableRow } from '../../../../ui/layout/data-table.tsx'
import { Skeleton } from '../../../../ui/layout/skeleton.tsx'
import { deliveryQuery } from '../webhook-queries.ts'
import { toDeliveryCurlCommand } from './delivery-curl-command.ts'
import { DeliveryExchange } from './delivery-exchange.tsx'
import { formatAttemptTime } from './format-log-time.ts'
import { openReplayDialog } from './replay-dialog.tsx'

/** The details of a delivery: request, response, all attempts, and buttons to send it again. */
export function DeliveryDetailsRow({
  delivery,
  webhook,
}: {
  delivery: Delivery
  webhook: Webhook
}) {
  const { data, error, refetch } = useQuery(deliveryQuery(webhook.id, delivery.id))
  return (
    <TableRow className="open">
      <TableCell>
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={6} />}
        {data && (
          <>
            <DeliveryActions details={data} webhook={webhook} />
            <DeliveryExchange details={data} />
            <DeliveryAttempts details={data} />
          </>
        )}
      </TableCell>
    </TableRow>
  )
}

interface DeliveryActionsProps {
  details: DeliveryDetails
  webhook: Webhook
}

function DeliveryActions({ details, webhook }: DeliveryActionsProps) {
  const [busy, setBusy] = useState(false)
  // Kept until a request has succeeded: what is sent after that is another delivery.
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID())
  const { id, request, sequence, status, next_attempt_at, attempt_count, is_test } = details
  const inactiveReason = webhook.is_active ? undefined : webhookMessages.inactive
  const sendAgain = async () => {
    setBusy(true)
    try {
      const input = { params: { id }, body: {} }
      const endpoint = 'POST /api/v1/deliveries/:id/redeliver'
      await requestEndpoint<typeof redeliver>(endpoint, input, { idempotencyKey })
      setIdempotencyKey(crypto.randomUUID())
      showToast({ text: webhookMessages.redelivered })
      await queryClient.invalidateQueries({ queryKey: ['deliveries', webhook.id] })
    } catch (error) {
      showErrorToast(error)
    }
    setBusy(false)
  }
  return (
    <div className="line">
      <span className="gut" />
      <div className="acts">
        {!is_test && (
          <Button busy={busy} reason={inactiveReason} onClick={sendAgain}>
            {webhookMessages.redeliver}
          </Button>
        )}
        {request && (
          <CopyButton text={toDeliveryCurlCommand(request)}>{webhookMessages.copyCurl}</CopyButton>
        )}
        {sequence !== null && (
          <Button
            kind="plain"
            reason={inactiveReason}
            onClick={() => openReplayDialog(webhook, sequence)}
          >
            {webhookMessages.replayFromHere}
          </Button>
        )}
        {status === 'pending' && (
          <span className="quiet">
            {next_attempt_at
              ? webhookMessages.nextAt(formatTime(next_attempt_at), formatRelative(next_attempt_at))
              : attempt_count === 0 && webhookMessages.held}
          </span>
        )}
      </div>
    </div>
  )
}

function DeliveryAttempts({ details: { attempts } }: { details: DeliveryDetails }) {
  if (attempts.length === 0) return null
  return (
    <section className="tries" aria-label={webhookMessages.tries}>
      {attempts.map(({ number, started_at, duration_ms, response_status, error }) => (
        <div key={number} className="line entry">
          <span className="gut">{formatAttemptTime(started_at)}</span>
          <p>
            {webhookMessages.tried(number)}
            <span className={error === null ? 'ok' : 'bad'}>
              {webhookMessages.result(
                response_status,
                error === null ? '' : (webhookMessages.errors[error] ?? error),
              )}
            </span>
            {webhookMessages.triedIn(duration_ms)}
          </p>
        </div>
      ))}
    </section>
  )
}
