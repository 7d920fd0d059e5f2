import './members.css'
import { useQuery } from '@tanstack/react-query'
import { useRight } from '../../../data/session/boot.ts'
import { hasRight } from '../../../data/session/rights.ts'
import { memberMessages } from '../../../messages/settings/members.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable } from '../../../ui/layout/data-table.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { SettingsHeader } from '../settings-header.tsx'
import { openInviteDialog } from './invite-dialog.tsx'
import { membersQuery } from './member-queries.ts'
import { MemberRow } from './member-row.tsx'
import { PendingInvitations } from './pending-invitations.tsx'

const COLUMNS = [
  ...memberMessages.columns.map((label) => ({ label })),
  { label: memberMessages.actionsColumn, hidden: true },
]

/** The members of the workspace with their roles, and the pending invitations. */
export default function MemberSettings() {
  const { data: members, error, refetch } = useQuery(membersQuery)
  const canManage = useRight('manage_workspace')
  const owners = members?.filter((member) => hasRight(member, 'own_workspace')).length ?? 0
  return (
    <>
      <SettingsHeader
        title={settingsMessages.sections.members}
        count={members?.length}
        actions={
          <Button
            kind="primary"
            icon="plus"
            reason={canManage ? undefined : settingsMessages.managersOnly}
            onClick={openInviteDialog}
          >
            {memberMessages.invite}
          </Button>
        }
      >
        {memberMessages.why}
      </SettingsHeader>
      <div className="scroll">
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {!members && !error && <Skeleton rows={4} />}
        {members && (
          <DataTable label={memberMessages.list} className="members" columns={COLUMNS}>
            {members.map((member) => (
              <MemberRow key={member.id} member={member} owners={owners} />
            ))}
          </DataTable>
        )}
        {canManage && <PendingInvitations />}
      </div>
    </>
  )
}
