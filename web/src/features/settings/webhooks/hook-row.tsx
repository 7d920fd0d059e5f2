import { useQuery } from '@tanstack/react-query'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { useBoot } from '../../../data/boot.ts'
import { m } from '../../../messages/webhooks.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { MenuButton } from '../../../ui/menu.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Cell, Row } from '../../../ui/table.tsx'
import { disable, enable, remove } from './acts.ts'
import { openHookForm } from './hook-form.tsx'
import { hostOf } from './host.ts'
import { ratedQuery } from './queries.ts'
import { rateOf } from './rate.ts'

const DAY_MS = 86_400_000

interface Props {
  webhook: Webhook
  chosen: boolean
  onChoose: () => void
}

/** One webhook: how it fares, where it goes, of what it is told. */
export function HookRow({ webhook, chosen, onChoose }: Props) {
  const { url, events, is_active, last_delivery_at } = webhook
  const host = hostOf(url)
  return (
    <Row aria-selected={chosen}>
      <Cell className="gut">
        <Rate webhook={webhook} />
      </Cell>
      <Cell>
        <State webhook={webhook} onChoose={onChoose} />
      </Cell>
      <Cell className="clip" title={events.join(', ')}>
        {eventsText(events)}
      </Cell>
      <Cell className="clip">
        <InProjects ids={webhook.project_ids} />
      </Cell>
      <Cell>{last_delivery_at ? <Moment at={last_delivery_at} /> : m.never}</Cell>
      <Cell className="end">
        {!is_active && <Button onClick={() => enable(webhook)}>{m.enable}</Button>}
        <MenuButton
          label={m.moreFor(host)}
          items={[
            { id: 'open', label: m.log, icon: 'list', run: onChoose },
            { id: 'edit', label: m.edit, icon: 'edit', run: () => openHookForm(webhook) },
            is_active
              ? { id: 'off', label: m.disable, icon: 'block', run: () => void disable(webhook) }
              : { id: 'on', label: m.enable, icon: 'play', run: () => void enable(webhook) },
            {
              id: 'remove',
              label: m.remove,
              icon: 'trash',
              danger: true,
              run: () => void remove(webhook),
            },
          ]}
        >
          <Icon name="dots" />
        </MenuButton>
      </Cell>
    </Row>
  )
}

/** What share of the last day's deliveries succeeded; asked only where there were some. */
function Rate({ webhook }: { webhook: Webhook }) {
  const { last_delivery_at } = webhook
  const isRecent = last_delivery_at !== null && Date.now() - Date.parse(last_delivery_at) < DAY_MS
  const { data } = useQuery({ ...ratedQuery(webhook), enabled: isRecent })
  const { ok, all } = rateOf(data ?? [])
  if (!isRecent || (data && all === 0)) return m.none
  return data && <b title={m.rateTitle(ok, all)}>{m.rate(ok / all)}</b>
}

const LAMPS = { active: 'ok', failing: 'failing', disabled: 'disabled' } as const

function State({ webhook, onChoose }: Pick<Props, 'webhook' | 'onChoose'>) {
  const { url, status, disabled_reason: reason, description } = webhook
  return (
    <>
      <span className="lamp" data-s={LAMPS[status]} aria-hidden="true" />
      <button type="button" className="clip choose" title={description ?? url} onClick={onChoose}>
        {url}
      </button>
      <span className={status === 'failing' ? 'bad' : 'quiet'}>
        {reason === null ? m.states[status] : m.disabled(m.reasons[reason] ?? reason)}
      </span>
    </>
  )
}

function InProjects({ ids }: { ids: readonly string[] | null }) {
  const { projects } = useBoot()
  if (ids === null) return m.all
  const known = ids.flatMap((id) => projects.find((project) => project.id === id)?.prefix ?? [])
  return known.length === ids.length ? (
    <span className="mono">{known.join(' ')}</span>
  ) : (
    m.projects(ids.length)
  )
}

const eventsText = (events: readonly string[]): string => {
  const [only] = events
  if (only === '*') return m.all
  return events.length === 1 && only ? only : m.kinds(events.length)
}
