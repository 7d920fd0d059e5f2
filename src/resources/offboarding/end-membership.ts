import type { WriteTx } from '#core/transaction.ts'
import { loadMembershipToEnd, removeMember } from '#resources/members/membership.ts'
import { clearLeads } from './led-projects.ts'

/**
 * Ends a membership as `removeMember` does, and before it the person's lead of projects, with the
 * event of each project.
 */
export async function endMembership(
  tx: WriteTx,
  user_id: string,
  options: { allowLastOwner?: boolean } = {},
) {
  if (!options.allowLastOwner) await loadMembershipToEnd(tx, user_id)
  await clearLeads(tx, user_id)
  return removeMember(tx, user_id, options)
}
