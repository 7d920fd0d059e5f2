import './applications.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Application } from '#resources/applications/internal.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { applicationMessages } from '../../../messages/settings/applications.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { ManagersOnly } from '../managers-only.tsx'
import { OneTimeSecret } from '../one-time-secret.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import { ApplicationDetails } from './application-details.tsx'
import { openApplicationForm } from './application-form.tsx'
import { applicationsQuery } from './application-queries.ts'
import { ApplicationTableRow } from './application-table-row.tsx'
import { formatOAuthCommands } from './oauth-commands.ts'

const COLUMNS = [
  ...applicationMessages.columns.map((label) => ({ label })),
  { label: applicationMessages.actionsColumn, hidden: true },
]

/** The OAuth applications of the workspace, and the details of the chosen one. */
export default function ApplicationSettings() {
  return (
    <ManagersOnly
      title={settingsMessages.sections.applications}
      create={applicationMessages.create}
      why={applicationMessages.why}
    >
      <ManagedApplications />
    </ManagersOnly>
  )
}

function ManagedApplications() {
  const { data: applications, error, refetch } = useQuery(applicationsQuery)
  const { app: requestedId } = useSearch({ from: '/w/$workspaceId/settings/$section' })
  const params = useParams({ from: '/w/$workspaceId/settings/$section' })
  const navigate = useNavigate()
  const [secret, setSecret] = useState<NewApplicationSecret>()
  const chosen = applications?.find(({ id }) => id === requestedId) ?? applications?.[0]
  const choose = (app: string) =>
    void navigate({ to: '/w/$workspaceId/settings/$section', params, search: { app } })
  const secretReason = secret && applicationMessages.secretFirst
  const showSecret = (application: Application, value: string, rotated: boolean) =>
    setSecret({ application, secret: value, rotated, at: new Date().toISOString() })
  const onRotated = (application: Application, value: string) =>
    showSecret(application, value, true)
  const create = () =>
    openApplicationForm(undefined, (created, client_secret) => {
      choose(created.id)
      if (client_secret) showSecret(created, client_secret, false)
    })
  const createButton = (
    <Button kind="primary" icon="plus" reason={secretReason} onClick={create}>
      {applicationMessages.create}
    </Button>
  )
  return (
    <>
      <SettingsHeader
        title={settingsMessages.sections.applications}
        count={applications?.length}
        actions={applications && applications.length > 0 && createButton}
      >
        {applicationMessages.why}
      </SettingsHeader>
      <div className="scroll">
        {secret && (
          <ApplicationSecret key={secret.at} created={secret} onDone={() => setSecret(undefined)} />
        )}
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {!applications && !error && <Skeleton rows={3} />}
        {applications && applications.length > 0 && (
          <DataTable label={applicationMessages.list} className="apps" columns={COLUMNS}>
            {applications.map((application) => (
              <ApplicationTableRow
                key={application.id}
                application={application}
                chosen={application.id === chosen?.id}
                onChoose={() => choose(application.id)}
                rotateReason={secretReason}
                onSecret={onRotated}
              />
            ))}
          </DataTable>
        )}
        {applications?.length === 0 && (
          <EmptyState text={applicationMessages.empty}>{createButton}</EmptyState>
        )}
        {chosen && (
          <ApplicationDetails
            key={chosen.id}
            application={chosen}
            rotateReason={secretReason}
            onSecret={onRotated}
          />
        )}
      </div>
    </>
  )
}

/** A new secret of an application. */
interface NewApplicationSecret {
  application: Application
  secret: string
  rotated: boolean
  /** RFC 3339. */
  at: string
}

interface ApplicationSecretProps {
  created: NewApplicationSecret
  onDone: () => void
}

/** Shows a new secret, with commands that use it. */
function ApplicationSecret({ created, onDone }: ApplicationSecretProps) {
  const { application, secret, rotated, at } = created
  const { name } = application
  return (
    <OneTimeSecret
      title={rotated ? applicationMessages.rotatedReady(name) : applicationMessages.ready(name)}
      secret={secret}
      copyLabel={applicationMessages.copySecret}
      stub={
        <>
          <b>{applicationMessages.hint(secret.slice(-4))}</b>
          <span>{formatTime(at)}</span>
          <span className="quiet">{applicationMessages.stays}</span>
        </>
      }
      example={{
        text: formatOAuthCommands(application, location.origin, secret),
        label: applicationMessages.copyExample,
      }}
      loss={{
        title: applicationMessages.uncopiedTitle,
        text: applicationMessages.uncopiedWhy,
        action: applicationMessages.leave,
      }}
      onDone={onDone}
    >
      <p className="quiet">{applicationMessages.secretWhy}</p>
    </OneTimeSecret>
  )
}
