import { bumpAuthVersion } from '#auth/auth-version.ts'
import { validationFailed } from '#core/api-error.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { command, query, type Scoped } from '#db/core/statement.ts'
import { membershipByUser } from '#resources/members/membership-store.ts'
import { isInPeopleList } from '#resources/members/store.ts'
import { fieldError } from '#wire/field-error.ts'
import { rolesWith } from '#wire/rights.ts'
import { insertPerson } from './create-project.ts'
import { loadProject } from './load.ts'
import { insertSightTombstone } from './store.ts'

type ProjectPersonParams = Scoped<{ project_id: string; user_id: string }>

/** An active member who sees the project, or will see it as its lead. */
export const eligibleLead = query((db, $: ProjectPersonParams) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('user_id', '=', $.user_id)
    .where('removed_at', 'is', null)
    .where((is) => is.or([is('role', 'in', rolesWith('see_open_projects')), isInPeopleList($)])),
)

const deletePerson = command((db, $: ProjectPersonParams) =>
  db
    .deleteFrom('project_people')
    .where('project_id', '=', $.project_id)
    .where('user_id', '=', $.user_id),
)

type ProjectPerson = { project_id: string; user_id: string }

/** Adds a user to the people list of a project; does nothing if the user is in it. */
export async function addToPeopleList(tx: WriteTx, person: ProjectPerson): Promise<void> {
  if ((await tx.run(insertPerson, person)) === 0) return
  await tx.run(insertSightTombstone, { ...person, created_at: tx.now })
  await recordChange(tx, person, 'create')
}

/** Removes a user from the people list of a project, if the user is in it. */
export async function removeFromPeopleList(tx: WriteTx, person: ProjectPerson): Promise<void> {
  if ((await tx.run(deletePerson, person)) > 0) await recordChange(tx, person, 'delete')
}

/** The user sees other projects from now on, so every process must reload what it cached. */
async function recordChange(
  tx: WriteTx,
  { project_id, user_id }: ProjectPerson,
  op: 'create' | 'delete',
) {
  tx.noteChange({ noun: 'person', id: user_id, project_id })
  const action = op === 'create' ? 'project.person_added' : 'project.person_removed'
  tx.audit(action, project_id, { user_id })
  await bumpAuthVersion(tx)
}

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
