import type { Role } from '#core/actor.ts'
import { conflict, notFound } from '#core/refusal.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { fold } from '#lib/fold.ts'
import { wordsOf } from '#lib/words.ts'
import { forgetTold } from '#storage/notification-settings.ts'
import { stopTimers } from '#storage/timers.ts'
import {
  anotherOwner,
  membershipOf,
  putMembership,
  removeGrantsOf,
  removeKeysOf,
  removeMembership,
  removeSessionsOf,
  setRole,
} from './membership-store.ts'
import { memberById } from './store.ts'

export interface NewMember {
  user_id: string
  /** The name of the person's account. */
  name: string
  role: Role
}

/**
 * Makes a person a member of the workspace, again if need be: then with the same id and what it had
 * before. Gives the Member as an owner reads it; 409 `already_member`. No event: for the first owner
 * of a workspace. Roles are remembered by every process: the caller advances the identity generation.
 */
export async function join(tx: WriteTx, { user_id, name, role }: NewMember) {
  const joined = await tx.run(putMembership, {
    user_id,
    role,
    name_key: fold(name),
    name_words: ` ${wordsOf(name).join(' ')}`,
    joined_at: tx.now,
    removed_at: null,
    last_active_at: null,
  })
  if (joined === 0) throw conflict('already_member', 'This person is a member already.')
  tx.audit('member.added', user_id, { role })
  return loadMember(tx, user_id)
}

/** The same, and tells it: `member.added`. */
export async function addMember(tx: WriteTx, member: NewMember) {
  const added = await join(tx, member)
  tx.emit('member.added', added.json, { subject_id: added.id, project_id: null })
  return added
}

/**
 * Gives an active member another role; no event tells of it (contract 8.4). Gives the Member as an
 * owner reads it; 409 `last_owner`. The caller advances the identity generation.
 */
export async function changeRole(tx: WriteTx, member: { id: string; role: Role }, role: Role) {
  if (member.role === role) return loadMember(tx, member.id)
  if (member.role === 'owner') await refuseLastOwner(tx, member.id)
  await tx.run(setRole, { user_id: member.id, role })
  tx.audit('member.role_changed', member.id, { from: member.role, to: role })
  tx.note({ noun: 'member', id: member.id, op: 'update' })
  return loadMember(tx, member.id)
}

/** The membership that may end now: 404 for whoever is no member; 409 `last_owner`. */
export async function refuseStaying(tx: ReadTx, user_id: string) {
  const membership = await activeMembership(tx, user_id)
  if (membership.role === 'owner') await refuseLastOwner(tx, user_id)
  return membership
}

async function activeMembership(tx: ReadTx, user_id: string) {
  const membership = await tx.one(membershipOf, { user_id })
  if (!membership || membership.removed_at !== null) throw notFound()
  return membership
}

async function refuseLastOwner(tx: ReadTx, user_id: string): Promise<void> {
  if (await tx.one(anotherOwner, { user_id })) return
  throw conflict('last_owner', 'A workspace needs an owner: make somebody else one first.')
}

/**
 * Ends a membership with the person's API keys, grants, sessions and running timer there, and tells
 * it: `member.removed`. `evenLast`: of a workspace that is deleted, and needs no owner. Assignments and all that the person made stay. Gives the Member as an owner reads
 * it; 404 for whoever is no member; 409 `last_owner`. Credentials are remembered by every process: the
 * caller advances the identity generation.
 */
export async function removeMember(
  tx: WriteTx,
  user_id: string,
  { evenLast = false }: { evenLast?: boolean } = {},
) {
  const membership = await (evenLast ? activeMembership : refuseStaying)(tx, user_id)
  await stopTimers(tx, { user_id })
  const ended = {
    keys_ended: await tx.run(removeKeysOf, { user_id }),
    grants_ended: await tx.run(removeGrantsOf, { user_id }),
    sessions_ended: await tx.run(removeSessionsOf, { user_id }),
  }
  await forgetTold(tx, user_id)
  await tx.run(removeMembership, { user_id, removed_at: tx.now })
  tx.audit('member.removed', user_id, { role: membership.role, ...ended })
  const removed = await loadMember(tx, user_id)
  tx.emit('member.removed', removed.json, { subject_id: user_id, project_id: null })
  return removed
}

/** A member as an owner reads it, removed ones too; 404 for whoever never was one. */
export async function loadMember(tx: ReadTx, id: string) {
  const member = await tx.one(memberById, { id })
  if (!member) throw notFound()
  return member
}
