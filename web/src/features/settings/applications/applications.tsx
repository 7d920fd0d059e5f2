import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Application } from '#resources/applications/internal.ts'
import { m } from '../../../messages/applications.ts'
import { m as common } from '../../../messages/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { ForManagers } from '../for-managers.tsx'
import { Head } from '../head.tsx'
import { openApplicationForm } from './application-form.tsx'
import { ApplicationOpen } from './application-open.tsx'
import { ApplicationRow } from './application-row.tsx'
import { ApplicationSecret, type MadeSecret } from './application-secret.tsx'
import { applicationsQuery } from './queries.ts'

const COLUMNS = [...m.columns.map((label) => ({ label })), { label: m.actionsColumn, hidden: true }]

/** Applications that may ask persons to act for them, and how the chosen one connects. */
export default function Applications() {
  return (
    <ForManagers title={common.sections.applications} create={m.create} why={m.why}>
      <ManagedApplications />
    </ForManagers>
  )
}

function ManagedApplications() {
  const { data: applications, error, refetch } = useQuery(applicationsQuery)
  const { app: wanted } = useSearch({ from: '/w/$workspaceId/settings/$section' })
  const params = useParams({ from: '/w/$workspaceId/settings/$section' })
  const navigate = useNavigate()
  const [secret, setSecret] = useState<MadeSecret>()
  const chosen = applications?.find(({ id }) => id === wanted) ?? applications?.[0]
  const choose = (app: string) =>
    void navigate({ to: '/w/$workspaceId/settings/$section', params, search: { app } })
  const show = (application: Application, made: string, rotated: boolean) =>
    setSecret({ application, secret: made, rotated, at: new Date().toISOString() })
  const rotated = (application: Application, made: string) => show(application, made, true)
  const create = () =>
    openApplicationForm(undefined, (made, client_secret) => {
      choose(made.id)
      if (client_secret) show(made, client_secret, false)
    })
  return (
    <>
      <Head
        title={common.sections.applications}
        count={applications?.length}
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
        {secret && (
          <ApplicationSecret key={secret.at} made={secret} onDone={() => setSecret(undefined)} />
        )}
        {error && <Trouble error={error} onRetry={() => void refetch()} />}
        {!applications && !error && <Skeleton rows={3} />}
        {applications && applications.length > 0 && (
          <Table label={m.list} className="apps" columns={COLUMNS}>
            {applications.map((application) => (
              <ApplicationRow
                key={application.id}
                application={application}
                chosen={application.id === chosen?.id}
                onChoose={() => choose(application.id)}
                onSecret={rotated}
              />
            ))}
          </Table>
        )}
        {applications?.length === 0 && (
          <Empty text={m.empty}>
            <Button onClick={create}>{m.create}</Button>
          </Empty>
        )}
        {chosen && <ApplicationOpen key={chosen.id} application={chosen} onSecret={rotated} />}
      </div>
    </>
  )
}
