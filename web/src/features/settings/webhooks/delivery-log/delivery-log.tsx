import './delivery-log.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import type { Delivery } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { formatDuration } from '../../../../lib/dates/duration.ts'
import { settingsMessages } from '../../../../messages/settings/settings.ts'
import { webhookMessages } from '../../../../messages/settings/webhooks.ts'
import { ErrorMessage } from '../../../../ui/feedback/error-message.tsx'
import { Button } from '../../../../ui/form/button.tsx'
import { DataTable } from '../../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../../ui/layout/skeleton.tsx'
import { SectionHeader } from '../../settings-header.tsx'
import { formatWebhookUrl } from '../format-webhook-url.ts'
import { openRotateSecretDialog } from '../rotate-secret-dialog.tsx'
import { type DeliveryFilter, deliveriesQuery } from '../webhook-queries.ts'
import { DeliveryTableRow } from './delivery-table-row.tsx'
import { openReplayDialog } from './replay-dialog.tsx'
import { SendTestButton } from './send-test-button.tsx'
import { useEventSummaries } from './use-event-summaries.ts'

const COLUMNS = [
  ...webhookMessages.logColumns.map((label, index) => ({
    label,
    ...(index === 5 && { className: 'end' }),
  })),
  { label: webhookMessages.openColumn, hidden: true },
]

interface DeliveryLogProps {
  webhook: Webhook
  /** Why the secret cannot be rotated now; undefined if it can. */
  rotateReason: string | undefined
  /** Receives the new secret after a rotation; it is shown only once. */
  onSecret: (secret: string) => void
}

/** The deliveries of a webhook with live updates, and the buttons to test, replay and rotate. */
export function DeliveryLog({ webhook, rotateReason, onSecret }: DeliveryLogProps) {
  const [filterValues, setFilterValues] = useState<DeliveryFilterValues>({ status: '', event: '' })
  const filter = toDeliveryFilter(filterValues)
  const log = useInfiniteQuery(deliveriesQuery(webhook.id, filter))
  const deliveries = log.data?.pages.flatMap(({ data }) => data)
  const summaries = useEventSummaries(deliveries?.flatMap(({ sequence }) => sequence ?? []) ?? [])
  const { openId, toggle } = useOpenDelivery(webhook.id)
  const inactiveReason = webhook.is_active ? undefined : webhookMessages.inactive
  const isFiltered = filterValues.status !== '' || filterValues.event !== ''
  return (
    <section aria-label={webhookMessages.log}>
      <SectionHeader
        title={webhookMessages.logOf(formatWebhookUrl(webhook.url))}
        actions={
          <>
            <SendTestButton webhook={webhook} />
            <Button reason={inactiveReason} onClick={() => openReplayDialog(webhook)}>
              {webhookMessages.replay}
            </Button>
            <Button reason={rotateReason} onClick={() => openRotateSecretDialog(webhook, onSecret)}>
              {webhookMessages.rotate}
            </Button>
          </>
        }
      />
      <SecretOverlap until={webhook.previous_secret_expires_at} />
      <DeliveryFilterBar values={filterValues} onChange={setFilterValues} />
      {log.error && <ErrorMessage error={log.error} onRetry={() => void log.refetch()} />}
      {!deliveries && !log.error && <Skeleton rows={8} />}
      {deliveries && deliveries.length > 0 && (
        <DataTable label={webhookMessages.log} className="log" columns={COLUMNS}>
          {deliveries.map((delivery) => (
            <DeliveryTableRow
              key={delivery.id}
              delivery={delivery}
              webhook={webhook}
              summary={summaries.get(delivery.sequence ?? 0)}
              open={delivery.id === openId}
              onToggle={() => toggle(delivery.id)}
            />
          ))}
        </DataTable>
      )}
      {deliveries?.length === 0 && (
        <EmptyState text={isFiltered ? webhookMessages.noneOfFilter : webhookMessages.noDeliveries}>
          {isFiltered && (
            <Button onClick={() => setFilterValues({ status: '', event: '' })}>
              {webhookMessages.clearFilter}
            </Button>
          )}
        </EmptyState>
      )}
      {log.hasNextPage && (
        <div className="line more-line">
          <span className="gut" />
          <div className="acts">
            <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              {settingsMessages.more}
            </Button>
          </div>
        </div>
      )}
    </section>
  )
}

const STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const

function toDeliveryFilter({ status, event }: DeliveryFilterValues): DeliveryFilter {
  const knownStatus = STATUSES.find((one) => one === status)
  const knownEvent = DELIVERY_EVENT_TYPES.find((one) => one === event)
  return {
    ...(knownStatus && { status: [knownStatus] }),
    ...(knownEvent && { event_type: [knownEvent] }),
  }
}

/** The opened delivery. It is in the URL, so that a link opens it, too. */
function useOpenDelivery(webhook: string) {
  const { delivery: openId } = useSearch({ from: '/w/$workspaceId/settings/$section' })
  const params = useParams({ from: '/w/$workspaceId/settings/$section' })
  const navigate = useNavigate()
  const toggle = (id: Delivery['id']) =>
    void navigate({
      to: '/w/$workspaceId/settings/$section',
      params,
      search: id === openId ? { webhook } : { webhook, delivery: id },
      replace: true,
    })
  return { openId, toggle }
}

const UPDATE_INTERVAL_MS = 30_000

/** The remaining time in which the previous secret still signs, too; nothing after that. */
function SecretOverlap({ until }: { until: string | null }) {
  const [now, setNow] = useState(Date.now)
  const remainingMs = until === null ? 0 : Date.parse(until) - now
  const isOver = remainingMs <= 0
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), UPDATE_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isOver])
  if (isOver) return null
  return (
    <div className="line entry">
      <span className="gut" />
      <p>{webhookMessages.overlapLeft(formatDuration(remainingMs / 1000))}</p>
    </div>
  )
}

/** The values of the filters; an empty one matches everything. */
interface DeliveryFilterValues {
  status: string
  event: string
}

const DELIVERY_EVENT_TYPES = [...EVENT_KINDS, 'webhook.test'] as const

interface DeliveryFilterBarProps {
  values: DeliveryFilterValues
  onChange: (values: DeliveryFilterValues) => void
}

/** Filters the log by the status and the event type of deliveries. */
function DeliveryFilterBar({ values, onChange }: DeliveryFilterBarProps) {
  const id = useId()
  const choices = [
    {
      name: 'status',
      label: webhookMessages.filterStatus,
      options: Object.entries(webhookMessages.statuses),
    },
    {
      name: 'event',
      label: webhookMessages.filterEvent,
      options: DELIVERY_EVENT_TYPES.map((kind) => [kind, kind] as const),
    },
  ] as const
  return (
    <div className="line log-filters">
      <span className="gut" />
      <div className="acts">
        {choices.map(({ name, label, options }) => (
          <span key={name} className="narrowed">
            <label htmlFor={`${id}-${name}`}>{label}</label>
            <select
              id={`${id}-${name}`}
              className="field"
              value={values[name]}
              onChange={({ target }) => onChange({ ...values, [name]: target.value })}
            >
              <option value="">{webhookMessages.any}</option>
              {options.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </span>
        ))}
      </div>
    </div>
  )
}
