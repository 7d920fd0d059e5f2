import { useQuery } from '@tanstack/react-query'
import { DAY_MS } from '#lib/durations.ts'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { webhookMessages } from '../../../messages/settings/webhooks.ts'
import { Button } from '../../../ui/form/button.tsx'
import { TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import { formatWebhookUrl } from './format-webhook-url.ts'
import { countSuccesses } from './success-rate.ts'
import { activateWebhook, confirmDeleteWebhook, deactivateWebhook } from './webhook-commands.ts'
import { openWebhookForm } from './webhook-form.tsx'
import { recentDeliveriesQuery } from './webhook-queries.ts'

interface WebhookTableRowProps {
  webhook: Webhook
  chosen: boolean
  onChoose: () => void
}

/** One webhook: its success rate, state, event types and projects. */
export function WebhookTableRow({ webhook, chosen, onChoose }: WebhookTableRowProps) {
  const { url, events, is_active, last_delivery_at } = webhook
  const host = formatWebhookUrl(url)
  return (
    <TableRow aria-selected={chosen} onClick={onChoose}>
      <TableCell className="gut">
        <SuccessRate webhook={webhook} />
      </TableCell>
      <TableCell>
        <WebhookState webhook={webhook} />
      </TableCell>
      <TableCell className="clip" title={events.join(', ')}>
        {formatEvents(events)}
      </TableCell>
      <TableCell className="clip">
        <WebhookProjects ids={webhook.project_ids} />
      </TableCell>
      <TableCell>
        {last_delivery_at ? <FormattedInstant at={last_delivery_at} /> : webhookMessages.never}
      </TableCell>
      {/* What these buttons do is not to open the log as well. */}
      <TableCell className="end" onClick={(event) => event.stopPropagation()}>
        {!is_active && (
          <Button onClick={() => activateWebhook(webhook)}>{webhookMessages.enable}</Button>
        )}
        <MenuButton
          label={webhookMessages.moreFor(host)}
          items={[
            { id: 'open', label: webhookMessages.log, icon: 'list', run: onChoose },
            {
              id: 'edit',
              label: webhookMessages.edit,
              icon: 'edit',
              run: () => openWebhookForm(webhook),
            },
            is_active
              ? {
                  id: 'off',
                  label: webhookMessages.disable,
                  icon: 'block',
                  run: () => void deactivateWebhook(webhook),
                }
              : {
                  id: 'on',
                  label: webhookMessages.enable,
                  icon: 'play',
                  run: () => void activateWebhook(webhook),
                },
            {
              id: 'remove',
              label: webhookMessages.remove,
              icon: 'trash',
              danger: true,
              run: () => void confirmDeleteWebhook(webhook),
            },
          ]}
        >
          <Icon name="dots" />
        </MenuButton>
      </TableCell>
    </TableRow>
  )
}

/** The success rate of the last 24 hours; fetched only if there was a delivery in that time. */
function SuccessRate({ webhook }: { webhook: Webhook }) {
  const { last_delivery_at } = webhook
  const isRecent = last_delivery_at !== null && Date.now() - Date.parse(last_delivery_at) < DAY_MS
  const { data } = useQuery({ ...recentDeliveriesQuery(webhook), enabled: isRecent })
  if (!isRecent) return webhookMessages.none
  if (!data) return null
  const { ok, all, isPartial } = countSuccesses(data)
  if (all === 0) return webhookMessages.none
  const title = isPartial ? webhookMessages.partialRateTitle : webhookMessages.rateTitle
  return (
    <b title={title(ok, all)}>
      {isPartial && '≈ '}
      {webhookMessages.rate(ok / all)}
    </b>
  )
}

/** The `data-s` values of the lamp in styles/parts.css. */
const LAMP_BY_STATUS = { active: 'ok', failing: 'failing', disabled: 'disabled' } as const

/** The address and the state; a click on the address bubbles to its row. */
function WebhookState({ webhook }: Pick<WebhookTableRowProps, 'webhook'>) {
  const { url, status, disabled_reason: reason, description } = webhook
  return (
    <>
      <span className="lamp" data-s={LAMP_BY_STATUS[status]} aria-hidden="true" />
      <button type="button" className="clip choose" title={description ?? url}>
        {url}
      </button>
      <span className={status === 'failing' ? 'bad' : 'quiet'}>
        {reason === null
          ? webhookMessages.states[status]
          : webhookMessages.disabled(webhookMessages.reasons[reason] ?? reason)}
      </span>
    </>
  )
}

function WebhookProjects({ ids }: { ids: readonly string[] | null }) {
  const { projects } = useBoot('projects')
  if (ids === null) return webhookMessages.all
  const prefixes = ids.flatMap((id) => projects.find((project) => project.id === id)?.prefix ?? [])
  return prefixes.length === ids.length ? (
    <span className="mono">{prefixes.join(' ')}</span>
  ) : (
    webhookMessages.projects(ids.length)
  )
}

const formatEvents = (events: readonly string[]): string => {
  const [only] = events
  if (only === '*') return webhookMessages.all
  return events.length === 1 && only ? only : webhookMessages.kinds(events.length)
}
