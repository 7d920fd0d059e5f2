import { useState } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { updateMember } from '#resources/members/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { type Boot, canManageWorkspace, updateBoot, useBoot } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { shellMessages } from '../../../messages/app/shell.ts'
import { memberMessages } from '../../../messages/settings/members.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { membersQuery } from './member-queries.ts'
import { openRemoveMemberDialog } from './remove-member-dialog.tsx'

const ROLES = ['owner', 'admin', 'member', 'guest'] as const

interface MemberRowProps {
  member: Member
  /** The number of owners: the last one cannot leave or change role. */
  owners: number
}

/** One member. A control that the viewer may not use shows why. */
export function MemberRow({ member, owners }: MemberRowProps) {
  const boot = useBoot('session')
  const isMe = member.id === boot.session.user.id
  const blockReasons = getBlockReasons(boot, member, owners)
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
function getBlockReasons(boot: Pick<Boot, 'session'>, { id, role }: Member, owners: number) {
  const { user } = boot.session
  const isMe = id === user.id
  const lastOwnerReason = role === 'owner' && owners === 1 ? memberMessages.lastOwner : undefined
  const roleReason = !canManageWorkspace(boot)
    ? settingsMessages.managersOnly
    : role === 'owner' && user.role !== 'owner'
      ? memberMessages.onlyOwners
      : undefined
  return {
    role: roleReason ?? lastOwnerReason,
    remove: (isMe ? undefined : roleReason) ?? lastOwnerReason,
  }
}

function MemberRole({ member, reason }: { member: Member; reason: string | undefined }) {
  const { session } = useBoot('session')
  const [busy, setBusy] = useState(false)
  const change = async (role: Member['role']) => {
    setBusy(true)
    try {
      const input = { params: { id: member.id }, body: { role } }
      const changed = await requestEndpoint<typeof updateMember>(
        'PATCH /internal/members/:id',
        input,
      )
      applyMember(changed)
      const text = memberMessages.roleChanged(changed.name, settingsMessages.roleWords[role])
      showToast({ text })
    } catch (error) {
      showErrorToast(error)
    }
    setBusy(false)
  }
  if (reason !== undefined) {
    return <span title={reason}>{shellMessages.roles[member.role]}</span>
  }
  return (
    <select
      className="field role"
      aria-label={memberMessages.roleOf(member.name)}
      aria-busy={busy}
      value={member.role}
      onChange={({ target }) => {
        const role = ROLES.find((one) => one === target.value)
        if (role && !busy) void change(role)
      }}
    >
      {ROLES.map((role) => (
        <option
          key={role}
          value={role}
          disabled={role === 'owner' && session.user.role !== 'owner'}
        >
          {shellMessages.roles[role]}
        </option>
      ))}
    </select>
  )
}

/** Replaces a changed member in the list and in the boot data, which all other screens read. */
function applyMember(member: Member): void {
  const replaceIn = (all: readonly Member[]) =>
    all.map((one) => (one.id === member.id ? member : one))
  queryClient.setQueryData(membersQuery.queryKey, (all) => all && replaceIn(all))
  updateBoot((boot) => ({
    ...boot,
    members: replaceIn(boot.members),
    session: boot.session.user.id === member.id ? { ...boot.session, user: member } : boot.session,
  }))
}
