import type { WriteTx } from '#core/transaction.ts'
import { clearLeadWithoutAccess, clearProjectLead } from '#resources/projects/change-project.ts'
import { projectsLedByMember } from './store.ts'

/** More projects than anybody leads. */
const MAX_PROJECTS_LED = 10_000

const loadLedProjects = (tx: WriteTx, user_id: string) =>
  tx.all(projectsLedByMember, { user_id, limit: MAX_PROJECTS_LED })

/** Takes from a person the lead of all projects, with the event of each project. */
export async function clearLeads(tx: WriteTx, user_id: string): Promise<void> {
  for (const { id } of await loadLedProjects(tx, user_id)) await clearProjectLead(tx, id)
}

/** The same for the projects that the person does not see any more, after a change of role. */
export async function clearLeadsWithoutAccess(tx: WriteTx, user_id: string): Promise<void> {
  for (const { id: project_id } of await loadLedProjects(tx, user_id)) {
    await clearLeadWithoutAccess(tx, { project_id, user_id })
  }
}
