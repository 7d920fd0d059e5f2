import './webhooks.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { webhookMessages } from '../../../messages/settings/webhooks.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { ManagersOnly } from '../managers-only.tsx'
import { OneTimeSecret } from '../one-time-secret.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import { DeliveryLog } from './delivery-log/delivery-log.tsx'
import { formatWebhookUrl } from './format-webhook-url.ts'
import { openWebhookForm } from './webhook-form.tsx'
import { webhooksQuery } from './webhook-queries.ts'
import { WebhookTableRow } from './webhook-table-row.tsx'

const COLUMNS = [
  ...webhookMessages.columns.map((label) => ({ label })),
  { label: webhookMessages.actionsColumn, hidden: true },
]

/** The webhooks of the workspace, and the delivery log of the chosen one. */
export default function WebhookSettings() {
  return (
    <ManagersOnly
      title={settingsMessages.sections.webhooks}
      create={webhookMessages.create}
      why={webhookMessages.why}
    >
      <ManagedWebhooks />
    </ManagersOnly>
  )
}

function ManagedWebhooks() {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery)
  const { webhook: requestedId } = useSearch({ from: '/w/$workspaceId/settings/$section' })
  const params = useParams({ from: '/w/$workspaceId/settings/$section' })
  const navigate = useNavigate()
  const [secret, setSecret] = useState<NewWebhookSecret>()
  const chosen = webhooks?.find(({ id }) => id === requestedId) ?? webhooks?.[0]
  const choose = (webhook: string) =>
    void navigate({ to: '/w/$workspaceId/settings/$section', params, search: { webhook } })
  const secretReason = secret && webhookMessages.secretFirst
  const showSecret = (webhook: Webhook, value: string, rotated: boolean) =>
    setSecret({ webhook, secret: value, rotated, at: new Date().toISOString() })
  const create = () =>
    openWebhookForm(undefined, (created) => {
      choose(created.id)
      if ('secret' in created) showSecret(created, created.secret, false)
    })
  const createButton = (
    <Button kind="primary" icon="plus" reason={secretReason} onClick={create}>
      {webhookMessages.create}
    </Button>
  )
  return (
    <>
      <SettingsHeader
        title={settingsMessages.sections.webhooks}
        count={webhooks?.length}
        actions={webhooks && webhooks.length > 0 && createButton}
      >
        {webhookMessages.why} <a href="/docs/guides/webhooks">{webhookMessages.docs}</a>
      </SettingsHeader>
      <div className="scroll">
        {secret && (
          <WebhookSecret key={secret.at} created={secret} onDone={() => setSecret(undefined)} />
        )}
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {!webhooks && !error && <Skeleton rows={3} />}
        {webhooks && webhooks.length > 0 && (
          <DataTable label={webhookMessages.list} className="hooks" columns={COLUMNS}>
            {webhooks.map((webhook) => (
              <WebhookTableRow
                key={webhook.id}
                webhook={webhook}
                chosen={webhook.id === chosen?.id}
                onChoose={() => choose(webhook.id)}
              />
            ))}
          </DataTable>
        )}
        {webhooks?.length === 0 && (
          <EmptyState text={webhookMessages.empty}>{createButton}</EmptyState>
        )}
        {chosen && (
          <DeliveryLog
            key={chosen.id}
            webhook={chosen}
            rotateReason={secretReason}
            onSecret={(value) => showSecret(chosen, value, true)}
          />
        )}
      </div>
    </>
  )
}

/** A new secret of a webhook. */
interface NewWebhookSecret {
  webhook: Webhook
  secret: string
  rotated: boolean
  /** RFC 3339. */
  at: string
}

interface WebhookSecretProps {
  created: NewWebhookSecret
  onDone: () => void
}

/** Shows the new secret of a webhook. */
function WebhookSecret({ created, onDone }: WebhookSecretProps) {
  const { webhook, secret, rotated, at } = created
  const host = formatWebhookUrl(webhook.url)
  return (
    <OneTimeSecret
      title={rotated ? webhookMessages.rotatedReady(host) : webhookMessages.ready(host)}
      secret={secret}
      copyLabel={webhookMessages.copySecret}
      stub={<span>{formatTime(at)}</span>}
      loss={{
        title: webhookMessages.uncopiedTitle,
        text: webhookMessages.uncopiedWhy,
        action: webhookMessages.leave,
      }}
      onDone={onDone}
    >
      <p className="quiet">{webhookMessages.secretWhy}</p>
    </OneTimeSecret>
  )
}
