import './api-keys.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useRight } from '../../../data/session/boot.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { formatDay, toPlainDate } from '../../../lib/dates/plain-date.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { AuthorizedApplications } from '../applications/authorized-applications.tsx'
import { OneTimeSecret } from '../one-time-secret.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import { ApiKeyForm } from './api-key-form.tsx'
import { ApiKeyTableRow, formatScopes } from './api-key-table-row.tsx'
import { type ApiKeyWithSecret, apiKeysQuery } from './api-keys-query.ts'

const COLUMNS = [
  ...apiKeyMessages.columns.map((label) => ({ label })),
  { label: apiKeyMessages.actionsColumn, hidden: true },
]

/**
 * The person's API keys, and the applications that may act for them. Owners and admins
 * see the keys of all members.
 */
export default function ApiKeySettings() {
  const seesAll = useRight('manage_workspace')
  const { data: keys, error, refetch } = useQuery(apiKeysQuery)
  const client = useQueryClient()
  const [step, setStep] = useState<'list' | 'form' | ApiKeyWithSecret>('list')
  const showCreated = async (key: ApiKeyWithSecret) => {
    setStep(key)
    await client.invalidateQueries(apiKeysQuery)
  }
  const createButton = (
    <Button
      kind="primary"
      icon="plus"
      {...(typeof step === 'object' && { reason: apiKeyMessages.uncopiedTitle })}
      onClick={() => setStep('form')}
    >
      {apiKeyMessages.create}
    </Button>
  )
  return (
    <>
      <SettingsHeader
        title={settingsMessages.sections.api}
        count={keys?.length}
        actions={
          <>
            <a className="btn plain only-wide" href="/docs">
              {apiKeyMessages.docs}
            </a>
            {keys && keys.length > 0 && createButton}
          </>
        }
      >
        {seesAll ? `${apiKeyMessages.why} ${apiKeyMessages.whyAll}` : apiKeyMessages.why}
      </SettingsHeader>
      <div className="scroll">
        {step === 'form' && <ApiKeyForm onCreated={showCreated} onCancel={() => setStep('list')} />}
        {typeof step === 'object' && <ApiKeySecret apiKey={step} onDone={() => setStep('list')} />}
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {!keys && !error && <Skeleton rows={3} />}
        {keys && keys.length > 0 && (
          <DataTable label={apiKeyMessages.list} className="keys" columns={COLUMNS}>
            {keys.map((key) => (
              <ApiKeyTableRow key={key.id} item={key} />
            ))}
          </DataTable>
        )}
        {keys?.length === 0 && step === 'list' && (
          <EmptyState text={apiKeyMessages.empty}>{createButton}</EmptyState>
        )}
        <AuthorizedApplications />
      </div>
    </>
  )
}

interface ApiKeySecretProps {
  apiKey: ApiKeyWithSecret
  onDone: () => void
}

/** Shows a new API key, with an example request that uses it. */
function ApiKeySecret({ apiKey, onDone }: ApiKeySecretProps) {
  const { api_key, hint, name, scopes, expires_at, created_at } = apiKey
  const expires = expires_at === null ? apiKeyMessages.never : formatDay(toPlainDate(expires_at))
  return (
    <OneTimeSecret
      title={apiKeyMessages.ready(name)}
      secret={api_key}
      copyLabel={apiKeyMessages.copy}
      stub={
        <>
          <b>{hint}</b>
          <span>{formatTime(created_at)}</span>
          <span className="quiet">{apiKeyMessages.stays}</span>
        </>
      }
      example={{ text: formatExampleCommand(api_key, scopes), label: apiKeyMessages.copyCurl }}
      loss={{
        title: apiKeyMessages.uncopiedTitle,
        text: apiKeyMessages.uncopiedWhy,
        action: apiKeyMessages.leave,
      }}
      onDone={onDone}
    >
      <p className="quiet">{apiKeyMessages.kept(formatScopes(scopes), expires)}</p>
    </OneTimeSecret>
  )
}

/** A command that works with the key's scopes: it lists tasks, or else shows the key's identity. */
const formatExampleCommand = (api_key: string, scopes: readonly string[]): string => {
  const path = scopes.includes('tasks:read') ? 'tasks?status_category=started' : 'me'
  return [
    `curl "${location.origin}/api/v1/${path}" \\`,
    `  -H "Authorization: Bearer ${api_key}"`,
  ].join('\n')
}
