import type { WriteTx } from '#core/transaction.ts'
import { loadMembershipToEnd, removeMember } from '#resources/members/membership.ts'
import { clearProjectLead } from '#resources/projects/change-project.ts'
import { projectsLedByMember } from './store.ts'

/** More projects than anybody leads. */
const MAX_PROJECTS_LED = 10_000

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
  for (const { id } of await tx.all(projectsLedByMember, { user_id, limit: MAX_PROJECTS_LED })) {
    await clearProjectLead(tx, id)
  }
  return removeMember(tx, user_id, options)
}
