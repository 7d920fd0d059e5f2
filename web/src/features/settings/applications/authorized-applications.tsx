import { useQuery } from '@tanstack/react-query'
import type { deleteGrant, Grant } from '#resources/applications/grants/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { applicationMessages } from '../../../messages/settings/applications.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { openConfirmDialog } from '../../../ui/overlays/dialog.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { grantsQuery } from './application-queries.ts'
import { GrantsTable } from './grants-table.tsx'

/** The applications that the person has authorized in this workspace; each can be revoked. */
export function AuthorizedApplications() {
  const { data: grants, error, refetch } = useQuery(grantsQuery)
  return (
    <section aria-label={applicationMessages.own}>
      <SectionHeader title={applicationMessages.own} count={grants?.length} />
      <div className="line set-note">
        <span className="gut" />
        <p className="quiet">
          {grants?.length === 0 ? applicationMessages.ownNone : applicationMessages.ownWhy}
        </p>
      </div>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!grants && !error && <Skeleton rows={2} />}
      {grants && grants.length > 0 && (
        <GrantsTable
          label={applicationMessages.own}
          columns={applicationMessages.ownColumns}
          grants={grants}
          nameOf={({ application }) => application.name}
          actions={(grant) => (
            <Button
              kind="plain danger"
              aria-label={applicationMessages.revokeOf(grant.application.name)}
              onClick={() => revokeGrant(grant)}
            >
              {applicationMessages.revoke}
            </Button>
          )}
        />
      )}
    </section>
  )
}

async function revokeGrant({ id, application }: Grant): Promise<void> {
  const isConfirmed = await openConfirmDialog({
    title: applicationMessages.revokeTitle(application.name),
    text: applicationMessages.revokeWhy,
    action: applicationMessages.revoke,
    danger: true,
    run: async () => {
      await requestEndpoint<typeof deleteGrant>('DELETE /internal/grants/:id', { params: { id } })
      queryClient.setQueryData(grantsQuery.queryKey, (all) => all?.filter((one) => one.id !== id))
    },
  })
  if (isConfirmed) showToast({ text: applicationMessages.revoked(application.name) })
}
