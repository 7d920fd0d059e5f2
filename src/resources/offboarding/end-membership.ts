import { ApiError } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { loadMembershipToEnd, removeMember } from '#resources/members/membership.ts'
import { changeProject } from '#resources/projects/change-project.ts'
import { projectsLedByMember } from './store.ts'

/** More projects than anybody leads. */
const MAX_PROJECTS_LED = 10_000

/**
 * Ends a membership as `removeMember` does, and before it the person's lead of projects, with the
 * event of each project that the actor sees.
 */
export async function endMembership(
  tx: WriteTx,
  user_id: string,
  options: { allowLastOwner?: boolean } = {},
) {
  if (!options.allowLastOwner) await loadMembershipToEnd(tx, user_id)
  for (const { id } of await tx.all(projectsLedByMember, { user_id, limit: MAX_PROJECTS_LED })) {
    try {
      await tx.runOperation(() => changeProject(tx, id, { lead_id: null }))
    } catch (error) {
      // A guest may leave who leads a project that guests do not see.
      if (!(error instanceof ApiError) || error.status !== 404) throw error
    }
  }
  return removeMember(tx, user_id, options)
}
