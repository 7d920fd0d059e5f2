import './api-keys.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { canManageWorkspace, useBoot } from '../../../data/session/boot.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { AuthorizedApplications } from '../applications/authorized-applications.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import { ApiKeyForm } from './api-key-form.tsx'
import { ApiKeySecret } from './api-key-secret.tsx'
import { ApiKeyTableRow } from './api-key-table-row.tsx'
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
  const boot = useBoot('session')
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
        {canManageWorkspace(boot)
          ? `${apiKeyMessages.why} ${apiKeyMessages.whyAll}`
          : apiKeyMessages.why}
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
