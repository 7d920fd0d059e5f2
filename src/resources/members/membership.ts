import { conflict, notFound } from '#core/api-error.ts'
import type { FieldChanges, ReadTx, WriteTx } from '#core/transaction.ts'
import { endPersonReferences } from '#db/retention/person-erasure.ts'
import { emitTimersStopped, stopTimers } from '#db/tasks/timers.ts'
import { foldCase } from '#lib/fold-case.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import type { Role } from '#wire/rights.ts'
import { canManageRole } from './load.ts'
import {
  insertMembership,
  invitationsOfMember,
  membershipByUser,
  otherOwner,
  removeApiKeysOfMember,
  removeGrantsOfMember,
  removeInvitationOfMember,
  removeMembership,
  removeSessionsOfMember,
  renewMembership,
  setRole,
} from './membership-store.ts'
import { memberById } from './store.ts'

interface NewMember {
  user_id: string
  /** The name of the user's account. */
  name: string
  role: Role
}

/**
 * Creates a membership, or renews a removed one, which keeps its id and its data. Returns the
 * record as an owner sees it; 409 `already_member`. It emits no event, as the first owner of a
 * workspace needs none. Every process caches roles, so the caller must invalidate the
 * authentication caches.
 */
export async function createMembership(tx: WriteTx, { user_id, name, role }: NewMember) {
  const former = await tx.one(membershipByUser, { user_id })
  // A request that ran beside the removal may have left them.
  if (former && former.removed_at !== null) {
    await endCredentials(tx, user_id)
    await endPersonReferences(tx, user_id)
    await endInvitations(tx, user_id, null)
  }
  const membership = {
    user_id,
    role,
    name_key: foldCase(name),
    name_words: ` ${extractSearchWords(name).join(' ')}`,
    joined_at: tx.now,
    removed_at: null,
    last_active_at: null,
  }
  const joined = await (former
    ? tx.run(renewMembership, membership)
    : tx.run(insertMembership, membership))
  if (joined === 0)
    throw conflict('already_member', 'This person is already a member of the workspace.')
  tx.audit('member.added', user_id, { role })
  return loadMember(tx, user_id)
}

/** Creates a membership and emits `member.added`. */
export async function addMember(tx: WriteTx, member: NewMember) {
  const added = await createMembership(tx, member)
  tx.emit('member.added', added.json, { subject_id: added.id, project_id: null })
  return added
}

/**
 * Changes the role of an active member and emits `member.updated`. Returns the record as an owner
 * sees it; 409 `last_owner`. The caller must invalidate the authentication caches.
 */
export async function changeRole(tx: WriteTx, member: { id: string; role: Role }, role: Role) {
  if (member.role === role) return loadMember(tx, member.id)
  if (member.role === 'owner') await assertOtherOwner(tx, member.id)
  await tx.run(setRole, { user_id: member.id, role })
  tx.audit('member.role_changed', member.id, { from: member.role, to: role })
  await endInvitations(tx, member.id, role)
  const changed = await loadMember(tx, member.id)
  emitMemberUpdated(tx, changed, { role: { from: member.role, to: role } })
  return changed
}

/** Emits `member.updated`. */
export function emitMemberUpdated(
  tx: WriteTx,
  { id, json }: Awaited<ReturnType<typeof loadMember>>,
  changes: FieldChanges,
): void {
  tx.emit('member.updated', json, { subject_id: id, project_id: null, changes })
}

/** The membership, if it can end: 404 for a user who is not a member, 409 `last_owner`. */
export async function loadMembershipToEnd(tx: ReadTx, user_id: string) {
  const membership = await activeMembership(tx, user_id)
  if (membership.role === 'owner') await assertOtherOwner(tx, user_id)
  return membership
}

async function activeMembership(tx: ReadTx, user_id: string) {
  const membership = await tx.one(membershipByUser, { user_id })
  if (!membership || membership.removed_at !== null) throw notFound()
  return membership
}

async function assertOtherOwner(tx: ReadTx, user_id: string): Promise<void> {
  if (await tx.one(otherOwner, { user_id })) return
  throw conflict(
    'last_owner',
    'The workspace would have no owner. Make another member an owner first.',
  )
}

/**
 * Deletes the invitations to roles that their inviter may no longer give; with a null role, all of
 * them. Otherwise their links would work again as soon as the inviter gets the right back.
 */
async function endInvitations(tx: WriteTx, user_id: string, role: Role | null): Promise<void> {
  for (const { id, role: invitedRole } of await tx.all(invitationsOfMember, { user_id })) {
    if (role !== null && canManageRole(role, invitedRole)) continue
    await tx.run(removeInvitationOfMember, { id })
    tx.noteChange({ noun: 'invitation', id, only_for: '' })
    tx.audit('invitation.deleted', id, {})
  }
}

/** Ends the API keys, grants and sessions of a user in the workspace, and returns how many. */
const endCredentials = async (tx: WriteTx, user_id: string) => ({
  keys_ended: await tx.run(removeApiKeysOfMember, { user_id }),
  grants_ended: await tx.run(removeGrantsOfMember, { user_id }),
  sessions_ended: await tx.run(removeSessionsOfMember, { user_id }),
})

/**
 * Ends a membership with the API keys, grants, sessions and the running timer of the user, and with
 * whatever would give access again to somebody who returns (src/db/retention/person-erasure.ts),
 * and emits `member.removed`, then `time_entry.updated` for the timer. Assignments and everything that the user created stay. `allowLastOwner`
 * allows to remove the last owner of a deleted workspace. Returns the record as an owner sees it;
 * 404 for a user who is not a member, 409 `last_owner`. Every process caches credentials, so the
 * caller must invalidate the authentication caches.
 */
export async function removeMember(
  tx: WriteTx,
  user_id: string,
  { allowLastOwner = false }: { allowLastOwner?: boolean } = {},
) {
  const membership = await (allowLastOwner ? activeMembership : loadMembershipToEnd)(tx, user_id)
  const timers = await stopTimers(tx, { user_id })
  const ended = await endCredentials(tx, user_id)
  await endPersonReferences(tx, user_id)
  await endInvitations(tx, user_id, null)
  await tx.run(removeMembership, { user_id, removed_at: tx.now })
  tx.audit('member.removed', user_id, { role: membership.role, ...ended })
  const removed = await loadMember(tx, user_id)
  tx.emit('member.removed', removed.json, { subject_id: user_id, project_id: null })
  await emitTimersStopped(tx, timers)
  return removed
}

/** The record of an active or removed member as an owner sees it; 404 for everybody else. */
export async function loadMember(tx: ReadTx, id: string) {
  const member = await tx.one(memberById, { id })
  if (!member) throw notFound()
  return member
}
