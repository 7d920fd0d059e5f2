import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '#resources/webhooks/contract.ts'
import { m as common } from '../../../messages/settings.ts'
import { m } from '../../../messages/webhooks.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { ForManagers } from '../for-managers.tsx'
import { Head } from '../head.tsx'
import { openHookForm } from './hook-form.tsx'
import { HookRow } from './hook-row.tsx'
import { HookSecret, type MadeSecret } from './hook-secret.tsx'
import { DeliveryLog } from './log.tsx'
import { webhooksQuery } from './queries.ts'

const COLUMNS = [...m.columns.map((label) => ({ label })), { label: m.actionsColumn, hidden: true }]

/** Addresses that are told of events, and the log of what was delivered to the chosen one. */
export default function Webhooks() {
  return (
    <ForManagers title={common.sections.webhooks} create={m.create} why={m.why}>
      <ManagedWebhooks />
    </ForManagers>
  )
}

function ManagedWebhooks() {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery)
  const { webhook: wanted } = useSearch({ from: '/w/$workspaceId/settings/$section' })
  const params = useParams({ from: '/w/$workspaceId/settings/$section' })
  const navigate = useNavigate()
  const [secret, setSecret] = useState<MadeSecret>()
  const chosen = webhooks?.find(({ id }) => id === wanted) ?? webhooks?.[0]
  const choose = (webhook: string) =>
    void navigate({ to: '/w/$workspaceId/settings/$section', params, search: { webhook } })
  const show = (webhook: Webhook, made: string, rotated: boolean) =>
    setSecret({ webhook, secret: made, rotated, at: new Date().toISOString() })
  const create = () =>
    openHookForm(undefined, (made) => {
      choose(made.id)
      if (made.secret) show(made, made.secret, false)
    })
  return (
    <>
      <Head
        title={common.sections.webhooks}
        count={webhooks?.length}
        acts={
          <Button
            kind="primary"
            icon="plus"
            {...(secret && { reason: m.secretFirst })}
            onClick={create}
          >
            {m.create}
          </Button>
        }
      >
        {m.why}
      </Head>
      <div className="scroll">
        {secret && <HookSecret key={secret.at} made={secret} onDone={() => setSecret(undefined)} />}
        {error && <Trouble error={error} onRetry={() => void refetch()} />}
        {!webhooks && !error && <Skeleton rows={3} />}
        {webhooks && webhooks.length > 0 && (
          <Table label={m.list} className="hooks" columns={COLUMNS}>
            {webhooks.map((webhook) => (
              <HookRow
                key={webhook.id}
                webhook={webhook}
                chosen={webhook.id === chosen?.id}
                onChoose={() => choose(webhook.id)}
              />
            ))}
          </Table>
        )}
        {webhooks?.length === 0 && (
          <Empty text={m.empty}>
            <Button onClick={create}>{m.create}</Button>
          </Empty>
        )}
        {chosen && (
          <DeliveryLog
            key={chosen.id}
            webhook={chosen}
            onSecret={(made) => show(chosen, made, true)}
          />
        )}
      </div>
    </>
  )
}
