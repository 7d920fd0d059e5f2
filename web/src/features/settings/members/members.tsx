import { useQuery } from '@tanstack/react-query'
import { manages, useBoot } from '../../../data/boot.ts'
import { m } from '../../../messages/members.ts'
import { m as common } from '../../../messages/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Head } from '../head.tsx'
import { openInvite } from './invite.tsx'
import { Invited } from './invited.tsx'
import { MemberRow } from './member-row.tsx'
import { membersQuery } from './queries.ts'

const COLUMNS = [...m.columns.map((label) => ({ label })), { label: m.actionsColumn, hidden: true }]

/** Who works here, with which role; who is invited. */
export default function Members() {
  const boot = useBoot()
  const { data: members, error, refetch } = useQuery(membersQuery)
  const mayManage = manages(boot)
  const owners = members?.filter(({ role }) => role === 'owner').length ?? 0
  return (
    <>
      <Head
        title={common.sections.members}
        count={members?.length}
        acts={
          <Button
            kind="primary"
            icon="plus"
            reason={mayManage ? undefined : common.managersOnly}
            onClick={openInvite}
          >
            {m.invite}
          </Button>
        }
      >
        {m.why}
      </Head>
      <div className="scroll">
        {error && <Trouble error={error} onRetry={() => void refetch()} />}
        {!members && !error && <Skeleton rows={4} />}
        {members && (
          <Table label={m.list} className="members" columns={COLUMNS}>
            {members.map((member) => (
              <MemberRow key={member.id} member={member} owners={owners} />
            ))}
          </Table>
        )}
        {mayManage && <Invited />}
      </div>
    </>
  )
}
