import { useState } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { updateMember } from '#resources/members/internal.ts'
import { type Boot, changeBoot, manages, useBoot } from '../../../data/boot.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/members.ts'
import { m as common } from '../../../messages/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Person } from '../../../ui/person.tsx'
import { Cell, Row } from '../../../ui/table.tsx'
import { tell } from '../tell.ts'
import { membersQuery } from './queries.ts'
import { openRemove } from './remove.tsx'

const ROLES = ['owner', 'admin', 'member', 'guest'] as const

/** One member; what the viewer may not change says why. */
export function MemberRow({ member, owners }: { member: Member; owners: number }) {
  const boot = useBoot()
  const isMe = member.id === boot.session.user.id
  const off = reasonOf(boot, member, owners)
  const name = isMe ? m.leave : m.remove
  return (
    <Row>
      <Cell className="gut">
        <Moment at={member.joined_at} style="gutter" />
      </Cell>
      <Cell>
        <Person name={member.name} me={isMe} />
        <span className="clip">{member.name}</span>
        {isMe && <span className="quiet">{m.you}</span>}
      </Cell>
      <Cell className="clip" title={member.email ?? ''}>
        {member.email}
      </Cell>
      <Cell>
        <Role member={member} reason={off.role} />
      </Cell>
      <Cell>{member.last_active_at ? <Moment at={member.last_active_at} /> : m.neverActive}</Cell>
      <Cell className="end">
        <Button
          kind="plain danger"
          aria-label={isMe ? m.leaveTitle : m.removeOf(member.name)}
          reason={off.remove}
          onClick={() => openRemove(member, isMe)}
        >
          {name}
        </Button>
      </Cell>
    </Row>
  )
}

/** Why the viewer may not change a member's role, or remove them. */
function reasonOf(boot: Boot, { id, role }: Member, owners: number) {
  const { user } = boot.session
  const isMe = id === user.id
  const last = role === 'owner' && owners === 1 ? m.lastOwner : undefined
  const rank = !manages(boot)
    ? common.managersOnly
    : role === 'owner' && user.role !== 'owner'
      ? m.onlyOwners
      : undefined
  return { role: rank ?? last, remove: (isMe ? undefined : rank) ?? last }
}

function Role({ member, reason }: { member: Member; reason: string | undefined }) {
  const { session } = useBoot()
  const [busy, setBusy] = useState(false)
  const change = async (role: Member['role']) => {
    setBusy(true)
    try {
      const sent = { params: { id: member.id }, body: { role } }
      const changed = await call<typeof updateMember>('PATCH /internal/members/:id', sent)
      take(changed)
      toast({ text: m.roleChanged(changed.name, common.roleWords[role]) })
    } catch (error) {
      tell(error)
    }
    setBusy(false)
  }
  if (reason !== undefined) {
    return <span title={reason}>{m.roles[member.role]}</span>
  }
  return (
    <select
      className="field role"
      aria-label={m.roleOf(member.name)}
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
          {m.roles[role]}
        </option>
      ))}
    </select>
  )
}

/** Knows a changed member in the list, and wherever the page names members. */
function take(member: Member): void {
  const swap = (all: readonly Member[]) => all.map((one) => (one.id === member.id ? member : one))
  queries.setQueryData(membersQuery.queryKey, (all) => all && swap(all))
  changeBoot((boot) => ({
    ...boot,
    members: swap(boot.members),
    session: boot.session.user.id === member.id ? { ...boot.session, user: member } : boot.session,
  }))
}
