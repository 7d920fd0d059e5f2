import { useState } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { updateMember } from '#resources/members/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { cacheMember } from '../../../data/session/boot-records.ts'
import { canGiveRole, hasRight } from '../../../data/session/rights.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { roleMessages } from '../../../messages/app/roles.ts'
import { memberMessages } from '../../../messages/settings/members.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { openRemoveMemberDialog } from './remove-member-dialog.tsx'

interface MemberRowProps {
  member: Member
  /** The number of owners: the last one cannot leave or change role. */
  owners: number
}

/** One member. A control that the viewer may not use shows why. */
export function MemberRow({ member, owners }: MemberRowProps) {
  const me = useBoot('session').session.user
  const isMe = member.id === me.id
  const blockReasons = getBlockReasons(me, member, owners)
  const actionLabel = isMe ? memberMessages.leave : memberMessages.remove
  return (
    <TableRow>
      <TableCell className="gut">
        <FormattedInstant at={member.joined_at} style="gutter" />
      </TableCell>
      <TableCell>
        <Avatar name={member.name} me={isMe} />
        <span className="clip">{member.name}</span>
        {isMe && <span className="quiet">{memberMessages.you}</span>}
      </TableCell>
      <TableCell className="clip" title={member.email ?? ''}>
        {member.email}
      </TableCell>
      <TableCell>
        <MemberRole member={member} reason={blockReasons.role} />
      </TableCell>
      <TableCell>
        {member.last_active_at ? (
          <FormattedInstant at={member.last_active_at} />
        ) : (
          memberMessages.neverActive
        )}
      </TableCell>
      <TableCell className="end">
        <Button
          kind="plain danger"
          aria-label={isMe ? memberMessages.leaveTitle : memberMessages.removeOf(member.name)}
          reason={blockReasons.remove}
          onClick={() => openRemoveMemberDialog(member, isMe)}
        >
          {actionLabel}
        </Button>
      </TableCell>
    </TableRow>
  )
}

/** The reasons why the viewer may not change a member's role or remove them. */
function getBlockReasons(me: Member, member: Member, owners: number) {
  const isMe = member.id === me.id
  const lastOwnerReason =
    hasRight(member, 'own_workspace') && owners === 1 ? memberMessages.lastOwner : undefined
  const roleReason = !hasRight(me, 'manage_workspace')
    ? settingsMessages.managersOnly
    : canGiveRole(me, member.role)
      ? undefined
      : memberMessages.onlyOwners
  return {
    role: roleReason ?? lastOwnerReason,
    remove: (isMe ? undefined : roleReason) ?? lastOwnerReason,
  }
}

function MemberRole({ member, reason }: { member: Member; reason: string | undefined }) {
  const { session, roles } = useBoot('session', 'roles')
  const [busy, setBusy] = useState(false)
  const change = async (role: Member['role']) => {
    setBusy(true)
    try {
      const input = { params: { id: member.id }, body: { role } }
      const changed = await requestEndpoint<typeof updateMember>(
        'PATCH /internal/members/:id',
        input,
      )
      cacheMember(changed)
      const text = memberMessages.roleChanged(changed.name, roleMessages[role].inSentence)
      showToast({ text })
    } catch (error) {
      showErrorToast(error)
    }
    setBusy(false)
  }
  if (reason !== undefined) {
    return <span title={reason}>{roleMessages[member.role].name}</span>
  }
  return (
    <select
      className="field role"
      aria-label={memberMessages.roleOf(member.name)}
      aria-busy={busy}
      value={member.role}
      onChange={({ target }) => {
        const chosen = roles.find(({ role }) => role === target.value)
        if (chosen && !busy) void change(chosen.role)
      }}
    >
      {roles.map(({ role }) => (
        <option key={role} value={role} disabled={!canGiveRole(session.user, role)}>
          {roleMessages[role].name}
        </option>
      ))}
    </select>
  )
}
