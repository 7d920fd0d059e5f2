import { type Actor, may } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { type Role, rolesWith } from '#wire/rights.ts'
import { membershipByUser } from './membership-store.ts'
import { activeMembersByIds, membersWithAccess } from './store.ts'

/**
 * Which of these users are active members who see the project (docs/spec/api.md#roles-and-visibility), in one statement.
 * `user_ids` may hold unknown ids. The caller checks that the actor sees the project.
 */
export async function findMembersWithAccess(
  tx: ReadTx,
  project_id: string,
  user_ids: readonly string[],
): Promise<Set<string>> {
  if (user_ids.length === 0) return new Set()
  const rows = await tx.all(membersWithAccess, { project_id, user_ids: [...user_ids] })
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Which of these users are active members. `user_ids` may hold unknown ids. */
export async function findActiveMembers(
  tx: ReadTx,
  user_ids: readonly string[],
): Promise<Set<string>> {
  if (user_ids.length === 0) return new Set()
  const rows = await tx.all(activeMembersByIds, { ids: user_ids })
  return new Set(rows.map(({ user_id }) => user_id))
}

/** The active member whom a request changes or removes. */
export interface TargetMember {
  id: string
  role: Role
}

/** The member, if the actor may give them the requested role (docs/spec/api.md#members-invitations-workspace). */
export async function loadMemberToChange(
  tx: ReadTx,
  { params, body }: { params: { id: string }; body: unknown },
): Promise<TargetMember> {
  const member = await loadActiveMember(tx, params.id)
  const manager = await loadManager(tx)
  assertCanManageRole(manager, member.role)
  if (Object(body).role === 'owner') assertCanManageRole(manager, 'owner')
  return member
}

/** The member, if the actor may remove them; everybody may leave. */
export async function loadMemberToRemove(
  tx: ReadTx,
  { params }: { params: { id: string } },
): Promise<TargetMember> {
  const member = await loadActiveMember(tx, params.id)
  if (member.id !== tx.actor.user_id) assertCanManageRole(await loadManager(tx), member.role)
  return member
}

/** Whether a member with one role may give, change or remove another. */
export const canManageRole = (own: Role, role: Role): boolean =>
  rolesWith(isOwning(role) ? 'own_workspace' : 'manage_workspace').includes(own)

const isOwning = (role: Role): boolean => rolesWith('own_workspace').includes(role)

/** Owners manage every role, admins every role but owner, members and guests none. */
export function assertCanManageRole(actor: Pick<Actor, 'role'>, role: Role): void {
  if (!may(actor, 'manage_workspace')) throw managersOnly()
  if (!canManageRole(actor.role, role)) {
    throw insufficientRole('Only owners can add, change or remove owners.')
  }
}

const managersOnly = () => insufficientRole('Only owners and admins can do this.')

/**
 * The role that the actor has in this transaction. Another process may have taken away the role that
 * this one has cached, and two owners could otherwise both lower the other.
 */
export async function loadManager(tx: ReadTx): Promise<Pick<Actor, 'role'>> {
  const { user_id } = tx.actor
  if (user_id === null) return tx.actor
  const membership = await tx.one(membershipByUser, { user_id })
  if (!membership || membership.removed_at !== null) throw managersOnly()
  return membership
}

async function loadActiveMember(tx: ReadTx, id: string): Promise<TargetMember> {
  const membership = await tx.one(membershipByUser, { user_id: id })
  if (!membership || membership.removed_at !== null) throw notFound()
  return { id, role: membership.role }
}
