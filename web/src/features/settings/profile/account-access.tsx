import { queryOptions, useQuery } from '@tanstack/react-query'
import type { endAccountAccess, listAccountAccess } from '#accounts/internal.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { FormLine } from '../../../ui/form/form-field.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { describeDevice } from './devices.tsx'

type AccountAccess = EndpointReply<typeof listAccountAccess>['data'][number]

const accountAccessQuery = queryOptions({
  queryKey: ['account-access'],
  queryFn: async ({ signal }) =>
    (
      await requestEndpoint<typeof listAccountAccess>(
        'GET /internal/account/access',
        {},
        { signal },
      )
    ).data,
})

const COLUMNS = settingsMessages.accessColumns.map((label, at) => ({ label, hidden: at === 3 }))

/** Keys, applications and devices of the person in all workspaces: each has access without a session of theirs. */
export function AccountAccessSection() {
  const { data: records, error, refetch } = useQuery(accountAccessQuery)
  if (error && !records) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (!records || records.length === 0) return null
  return (
    <section id="access" aria-label={settingsMessages.access}>
      <SectionHeader title={settingsMessages.access} count={records.length} />
      <FormLine>
        <p className="set-note">{settingsMessages.accessWhy}</p>
      </FormLine>
      <DataTable label={settingsMessages.access} className="access" columns={COLUMNS}>
        {records.map((one) => (
          <TableRow key={one.id}>
            <TableCell className="gut">
              <FormattedInstant at={one.created_at} style="gutter" />
            </TableCell>
            <TableCell>
              <span className="clip">{nameOf(one)}</span>
              <span className="quiet">{settingsMessages.accessKinds[one.kind]}</span>
              {one.last_used_at && (
                <span className="quiet">
                  {settingsMessages.lastUsed} <FormattedInstant at={one.last_used_at} />
                </span>
              )}
            </TableCell>
            <TableCell className="clip">{one.workspace.name}</TableCell>
            <TableCell className="end">
              <Button
                kind="plain danger"
                aria-label={`${settingsMessages.accessEnd}: ${nameOf(one)}`}
                onClick={() => void endAccess(one)}
              >
                {settingsMessages.accessEnd}
              </Button>
            </TableCell>
          </TableRow>
        ))}
      </DataTable>
    </section>
  )
}

const nameOf = ({ kind, name }: AccountAccess): string =>
  kind === 'push_device' ? describeDevice(name) : name

async function endAccess(one: AccountAccess): Promise<void> {
  const { id } = one
  try {
    await requestEndpoint<typeof endAccountAccess>('DELETE /internal/account/access/:id', {
      params: { id },
    })
    showToast({ text: settingsMessages.accessEnded(nameOf(one)) })
  } catch (error) {
    showErrorToast(error)
  }
  await queryClient.invalidateQueries()
}
