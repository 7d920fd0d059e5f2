import type { Actor, Role } from '#core/actor.ts'
import { manages } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { membershipOf } from './membership-store.ts'

/** An active member on whom somebody acts. */
export interface ActedOn {
  id: string
  role: Role
}

/** The member whose role the actor may change to the one asked for (contract 9.3). */
export async function changeable(
  tx: ReadTx,
  { params, body }: { params: { id: string }; body: unknown },
): Promise<ActedOn> {
  const member = await activeMember(tx, params.id)
  refusePowerless(tx.actor, member.role)
  if (Object(body).role === 'owner') refusePowerless(tx.actor, 'owner')
  return member
}

/** The member whom the actor may remove: oneself always. */
export async function removable(
  tx: ReadTx,
  { params }: { params: { id: string } },
): Promise<ActedOn> {
  const member = await activeMember(tx, params.id)
  if (member.id !== tx.actor.user_id) refusePowerless(tx.actor, member.role)
  return member
}

/** Admins act on everybody but owners, and give every role but theirs; members and guests do not. */
export function refusePowerless(actor: Actor, role: Role): void {
  if (!manages(actor)) throw insufficientRole('This is for owners and admins of the workspace.')
  if (role === 'owner' && actor.role !== 'owner') {
    throw insufficientRole('Only owners make, change or remove owners.')
  }
}

async function activeMember(tx: ReadTx, id: string): Promise<ActedOn> {
  const membership = await tx.one(membershipOf, { user_id: id })
  if (!membership || membership.removed_at !== null) throw notFound()
  return { id, role: membership.role }
}
