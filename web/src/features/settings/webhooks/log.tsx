import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Delivery } from '#resources/deliveries/contract.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { m as common } from '../../../messages/settings.ts'
import { m } from '../../../messages/webhooks.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { useAbout } from './about.ts'
import { DeliveryRow } from './delivery-row.tsx'
import { hostOf } from './host.ts'
import { EVENTS, LogFilters, type Wanted } from './log-filters.tsx'
import { Overlap } from './overlap.tsx'
import { deliveriesQuery, type LogFilter } from './queries.ts'
import { openReplay } from './replay.tsx'
import { rotate } from './rotate.tsx'
import { SendTest } from './send-test.tsx'

const COLUMNS = [
  ...m.logColumns.map((label, at) => ({ label, ...(at === 5 && { className: 'end' }) })),
  { label: m.openColumn, hidden: true },
]

interface Props {
  webhook: Webhook
  /** A new secret was made, which is shown once. */
  onSecret: (secret: string) => void
}

/** What was sent to a webhook and how it was answered, live; with what can be done about it. */
export function DeliveryLog({ webhook, onSecret }: Props) {
  const [wanted, setWanted] = useState<Wanted>({ status: '', event: '' })
  const filter = filterOf(wanted)
  const log = useInfiniteQuery(deliveriesQuery(webhook.id, filter))
  const deliveries = log.data?.pages.flatMap(({ data }) => data)
  const about = useAbout(deliveries?.flatMap(({ sequence }) => sequence ?? []) ?? [])
  const { open, toggle } = useOpened(webhook.id)
  const off = webhook.is_active ? undefined : m.inactive
  const isFiltered = wanted.status !== '' || wanted.event !== ''
  return (
    <section aria-label={m.log}>
      <Band
        title={m.logOf(hostOf(webhook.url))}
        acts={
          <>
            <SendTest webhook={webhook} />
            <Button reason={off} onClick={() => openReplay(webhook)}>
              {m.replay}
            </Button>
            <Button onClick={() => rotate(webhook, onSecret)}>{m.rotate}</Button>
          </>
        }
      />
      <Overlap until={webhook.previous_secret_expires_at} />
      <LogFilters wanted={wanted} onChange={setWanted} />
      {log.error && <Trouble error={log.error} onRetry={() => void log.refetch()} />}
      {!deliveries && !log.error && <Skeleton rows={8} />}
      {deliveries && deliveries.length > 0 && (
        <Table label={m.log} className="log" columns={COLUMNS}>
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              webhook={webhook}
              about={about.get(delivery.sequence ?? 0)}
              open={delivery.id === open}
              onToggle={() => toggle(delivery.id)}
            />
          ))}
        </Table>
      )}
      {deliveries?.length === 0 && (
        <Empty text={isFiltered ? m.noneOfFilter : m.noDeliveries}>
          {isFiltered && (
            <Button onClick={() => setWanted({ status: '', event: '' })}>{m.clearFilter}</Button>
          )}
        </Empty>
      )}
      {log.hasNextPage && (
        <div className="line more-line">
          <span className="gut" />
          <div className="acts">
            <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              {common.more}
            </Button>
          </div>
        </div>
      )}
    </section>
  )
}

const STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const

function filterOf({ status, event }: Wanted): LogFilter {
  const known = STATUSES.find((one) => one === status)
  const kind = EVENTS.find((one) => one === event)
  return { ...(known && { status: [known] }), ...(kind && { event_type: [kind] }) }
}

/** The delivery that is opened: the address names it, so that a link shows the same. */
function useOpened(webhook: string) {
  const { delivery: open } = useSearch({ from: '/w/$workspaceId/settings/$section' })
  const params = useParams({ from: '/w/$workspaceId/settings/$section' })
  const navigate = useNavigate()
  const toggle = (id: Delivery['id']) =>
    void navigate({
      to: '/w/$workspaceId/settings/$section',
      params,
      search: id === open ? { webhook } : { webhook, delivery: id },
      replace: true,
    })
  return { open, toggle }
}
