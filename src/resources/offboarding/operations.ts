import { bumpAuthVersion } from '#auth/auth-version.ts'
import type { LoadInput, Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import type { deleteMember } from '#resources/members/internal.ts'
import { loadMemberToRemove, type TargetMember } from '#resources/members/load.ts'
import { loadMembershipToEnd } from '#resources/members/membership.ts'
import { countProjectsLed, endMembership, handOverBatch, memberTaskCounts } from './handover.ts'
import type { getMemberWork, handOver } from './internal.ts'

export const countMemberWork: Operation<typeof getMemberWork, TargetMember> = async (
  tx,
  { id },
) => {
  const tasks = await tx.one(memberTaskCounts, { user_id: id })
  const projects = await tx.one(countProjectsLed, { user_id: id })
  return {
    open_tasks: tasks?.open_tasks ?? 0,
    recurring_tasks: tasks?.recurring_tasks ?? 0,
    projects_led: projects?.projects_led ?? 0,
  }
}

/** A member whose membership can end: 403, 404 or 409 as for its removal. */
export async function loadMemberToOffboard(
  tx: ReadTx,
  input: LoadInput<typeof handOver>,
): Promise<TargetMember> {
  const member = await loadMemberToRemove(tx, input)
  await loadMembershipToEnd(tx, member.id)
  return member
}

export const handOverMemberWork: Operation<typeof handOver, TargetMember> = (
  tx,
  { id },
  { body },
) => handOverBatch(tx, id, body)

export const remove: Operation<typeof deleteMember, TargetMember> = async (tx, { id }) => {
  await endMembership(tx, id)
  await bumpAuthVersion(tx)
}
