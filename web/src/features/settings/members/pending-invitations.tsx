import { useQuery } from '@tanstack/react-query'
import type {
  createInvitation,
  deleteInvitation,
  Invitation,
} from '#resources/invitations/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { useMemberNames } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { roleMessages } from '../../../messages/app/roles.ts'
import { memberMessages } from '../../../messages/settings/members.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { InvitationLinks } from './invitation-links.tsx'
import { invitationsQuery } from './member-queries.ts'

const COLUMNS = memberMessages.invitedColumns.map((label, at) => ({ label, hidden: at === 4 }))

/** The invitations that are not accepted yet. */
export function PendingInvitations() {
  const { data: invitations, error, refetch } = useQuery(invitationsQuery)
  if (error && !invitations) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (!invitations || invitations.length === 0) return null
  return (
    <section aria-label={memberMessages.pending}>
      <SectionHeader title={memberMessages.pending} count={invitations.length} />
      <DataTable label={memberMessages.pending} className="invited" columns={COLUMNS}>
        {invitations.map((invitation) => (
          <InvitedRow key={invitation.id} invitation={invitation} />
        ))}
      </DataTable>
    </section>
  )
}

function InvitedRow({ invitation }: { invitation: Invitation }) {
  const nameOf = useMemberNames()
  const { id, email, role, invited_by_id, expires_at, created_at } = invitation
  return (
    <TableRow>
      <TableCell className="gut">
        <FormattedInstant at={created_at} style="gutter" />
      </TableCell>
      <TableCell>
        <span className="clip">{email}</span>
        <span className="quiet">{memberMessages.pendingBy(nameOf(invited_by_id))}</span>
      </TableCell>
      <TableCell>{roleMessages[role].name}</TableCell>
      <TableCell>
        <FormattedInstant at={expires_at} />
      </TableCell>
      <TableCell className="end">
        <Button
          kind="plain"
          aria-label={memberMessages.resendOf(email)}
          onClick={() => void recreate(invitation)}
        >
          {memberMessages.resend}
        </Button>
        <Button
          kind="plain danger"
          aria-label={memberMessages.withdrawOf(email)}
          onClick={() => void withdraw(id, email)}
        >
          {memberMessages.withdraw}
        </Button>
      </TableCell>
    </TableRow>
  )
}

/** Creates a new link, which invalidates the previous one. */
async function recreate({ email, role, project_ids }: Invitation): Promise<void> {
  const body = { email, role, ...(project_ids.length > 0 && { project_ids }) }
  try {
    const created = await requestEndpoint<typeof createInvitation>('POST /internal/invitations', {
      body,
    })
    openDialog({
      title: memberMessages.linkOf(email),
      wide: true,
      body: () => <InvitationLinks invitations={[created]} />,
    })
    await queryClient.invalidateQueries(invitationsQuery)
  } catch (error) {
    showErrorToast(error)
  }
}

async function withdraw(id: string, email: string): Promise<void> {
  queryClient.setQueryData(invitationsQuery.queryKey, (all) => all?.filter((one) => one.id !== id))
  try {
    await requestEndpoint<typeof deleteInvitation>('DELETE /internal/invitations/:id', {
      params: { id },
    })
    showToast({ text: memberMessages.withdrawn(email) })
  } catch (error) {
    showErrorToast(error)
  }
  await queryClient.invalidateQueries(invitationsQuery)
}
