import type { Addressed, Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { type ActedOn, removable } from '#resources/members/acting.ts'
import { refuseStaying } from '#resources/members/membership.ts'
import { handOverSome } from './handing.ts'
import type { getWork, handOver } from './internal.ts'
import { workOf } from './store.ts'

export const work: Operation<typeof getWork, ActedOn> = async (tx, { id }) => {
  const found = await tx.one(workOf, { user_id: id })
  return {
    open_tasks: found?.open_tasks ?? 0,
    recurring_tasks: found?.recurring_tasks ?? 0,
    projects_led: found?.projects_led ?? 0,
  }
}

/** A member who may go: whoever cannot has nothing to hand over. */
export async function leaver(tx: ReadTx, asked: Addressed<typeof handOver>): Promise<ActedOn> {
  const member = await removable(tx, asked)
  await refuseStaying(tx, member.id)
  return member
}

export const hand: Operation<typeof handOver, ActedOn> = (tx, { id }, { body }) =>
  handOverSome(tx, id, body)
