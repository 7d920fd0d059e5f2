import { sql } from 'kysely'
import { isDeletedWorkspace } from '#storage/deleted-workspaces.ts'

/**
 * Whether an application may be used in a workspace, which is the value of a column: one that is
 * public in any, another in its own alone (contract 4.4); none in a workspace that is deleted, or of one.
 * The statement joins `applications`.
 */
export const usableIn = (column: `${string}.workspace_id`) =>
  sql<boolean>`(applications.distribution = 'public' or applications.workspace_id = ${sql.ref(column)})
    and not ${isDeletedWorkspace(column)} and not ${isDeletedWorkspace('applications.workspace_id')}`
