import { invalid } from '#core/refusal.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { membershipOf } from '#resources/members/membership-store.ts'
import { fault } from '#wire/fault.ts'
import { loadProject } from './load.ts'
import { possibleLead, putInList } from './people-store.ts'

/**
 * Puts a member into the people list of a project; one who is in it stays there. No event tells of it
 * (contract 8.4). 404 where the actor does not see the project, 422 `not_a_member` on `field`.
 */
export async function addToPeople(
  tx: WriteTx,
  { project_id, user_id }: { project_id: string; user_id: string },
  field: string,
): Promise<void> {
  await loadProject(tx, project_id)
  const membership = await tx.one(membershipOf, { user_id })
  if (!membership || membership.removed_at !== null) {
    throw invalid(fault(field, 'not_a_member', 'must be an active member of the workspace'))
  }
  await putInList(tx, { project_id, user_id })
}

/**
 * Refuses a lead who is no active member, or would not see the project: 422 `not_a_member`. Whoever
 * leads a project sees it, but for guests, who see what lists them. `project_id` is '' for one that is
 * yet to be made.
 */
export async function refuseBlindLead(
  tx: ReadTx,
  { project_id, lead_id }: { project_id: string; lead_id: string },
  field: string,
): Promise<void> {
  if (await tx.one(possibleLead, { project_id, user_id: lead_id })) return
  throw invalid(fault(field, 'not_a_member', 'must be an active member who sees the project'))
}
