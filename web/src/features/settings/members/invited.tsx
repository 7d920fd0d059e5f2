import { useQuery } from '@tanstack/react-query'
import type {
  createInvitation,
  deleteInvitation,
  Invitation,
} from '#resources/invitations/internal.ts'
import { nameOf, useBoot } from '../../../data/boot.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/members.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { tell } from '../tell.ts'
import { Links } from './links.tsx'
import { invitationsQuery } from './queries.ts'

const COLUMNS = m.invitedColumns.map((label, at) => ({ label, hidden: at === 4 }))

/** Who is invited and has not come yet. */
export function Invited() {
  const { data: invitations, error, refetch } = useQuery(invitationsQuery)
  if (error) return <Trouble error={error} onRetry={() => void refetch()} />
  if (!invitations || invitations.length === 0) return null
  return (
    <section aria-label={m.pending}>
      <Band title={m.pending} count={invitations.length} />
      <Table label={m.pending} className="invited" columns={COLUMNS}>
        {invitations.map((invitation) => (
          <InvitedRow key={invitation.id} invitation={invitation} />
        ))}
      </Table>
    </section>
  )
}

function InvitedRow({ invitation }: { invitation: Invitation }) {
  const boot = useBoot()
  const { id, email, role, invited_by_id, expires_at, created_at } = invitation
  return (
    <Row>
      <Cell className="gut">
        <Moment at={created_at} style="gutter" />
      </Cell>
      <Cell>
        <span className="clip">{email}</span>
        <span className="quiet">{m.pendingBy(nameOf(boot, invited_by_id))}</span>
      </Cell>
      <Cell>{m.roles[role]}</Cell>
      <Cell>
        <Moment at={expires_at} />
      </Cell>
      <Cell className="end">
        <Button
          kind="plain"
          aria-label={m.resendOf(email)}
          onClick={() => void makeAnew(invitation)}
        >
          {m.resend}
        </Button>
        <Button
          kind="plain danger"
          aria-label={m.withdrawOf(email)}
          onClick={() => void withdraw(id, email)}
        >
          {m.withdraw}
        </Button>
      </Cell>
    </Row>
  )
}

/** A new link in place of the one before, which ends. */
async function makeAnew({ email, role, project_ids }: Invitation): Promise<void> {
  try {
    const body = { email, role, ...(project_ids.length > 0 && { project_ids }) }
    const made = await call<typeof createInvitation>('POST /internal/invitations', { body })
    openDialog({ title: m.linkOf(email), wide: true, body: () => <Links made={[made]} /> })
  } catch (error) {
    tell(error)
  }
  await queries.invalidateQueries(invitationsQuery)
}

async function withdraw(id: string, email: string): Promise<void> {
  queries.setQueryData(invitationsQuery.queryKey, (all) => all?.filter((one) => one.id !== id))
  try {
    await call<typeof deleteInvitation>('DELETE /internal/invitations/:id', { params: { id } })
    toast({ text: m.withdrawn(email) })
  } catch (error) {
    tell(error)
  }
  await queries.invalidateQueries(invitationsQuery)
}
