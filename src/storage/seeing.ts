import { sql } from 'kysely'
import type { Scoped } from './statement.ts'

/**
 * Whether the member of the row at hand sees the project of the row at hand (contract 4.3), whoever asks.
 * Needs `memberships` and `projects` beside; that the membership goes on is for the statement to say.
 */
export const memberSees = ($: Scoped) => sql<boolean>`(
    memberships.role in ('owner', 'admin')
    or (memberships.role = 'member' and (projects.visibility = 'workspace'
      or projects.lead_id = memberships.user_id))
    or exists (select 1 from project_people as people
      where people.workspace_id = ${$.workspace_id} and people.project_id = projects.id
        and people.user_id = memberships.user_id)
  )`
