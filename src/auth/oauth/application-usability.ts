import { sql } from 'kysely'
import { isDeletedWorkspace } from '#db/workspaces/deleted-workspaces.ts'

/**
 * A condition that an application may be used in the workspace of a column: public applications in
 * every workspace, others only in their own (docs/spec/api.md#oauth). Neither of the workspaces may be
 * deleted. The statement must join `applications`.
 */
export const isApplicationUsableIn = (column: `${string}.workspace_id`) =>
  sql<boolean>`(applications.distribution = 'public' or applications.workspace_id = ${sql.ref(column)})
    and not ${isDeletedWorkspace(column)} and not ${isDeletedWorkspace('applications.workspace_id')}`
