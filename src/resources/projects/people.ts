import { validationFailed } from '#core/api-error.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { membershipByUser } from '#resources/members/membership-store.ts'
import { fieldError } from '#wire/field-error.ts'
import { loadProject } from './load.ts'
import { addToPeopleList, eligibleLead } from './people-store.ts'

/**
 * Adds a member to the people list of a project, without an event (docs/spec/api.md#events-of-each-operation). 404 if the actor
 * does not see the project, 422 `not_a_member` on `field`.
 */
export async function addMemberToProject(
  tx: WriteTx,
  { project_id, user_id }: { project_id: string; user_id: string },
  field: string,
): Promise<void> {
  await loadProject(tx, project_id)
  const membership = await tx.one(membershipByUser, { user_id })
  if (!membership || membership.removed_at !== null) {
    throw validationFailed(
      fieldError(field, 'not_a_member', 'must be an active member of the workspace'),
    )
  }
  await addToPeopleList(tx, { project_id, user_id })
}

/**
 * 422 `not_a_member` for a lead who is not an active member, or would not see the project. Leads
 * see their project, except for guests, who must be in its people list. `project_id` is '' for a
 * new one.
 */
export async function assertLeadHasAccess(
  tx: ReadTx,
  { project_id, lead_id }: { project_id: string; lead_id: string },
  field: string,
): Promise<void> {
  if (await tx.one(eligibleLead, { project_id, user_id: lead_id })) return
  throw validationFailed(
    fieldError(field, 'not_a_member', 'must be an active member with access to the project'),
  )
}
