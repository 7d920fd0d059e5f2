import { sql } from 'kysely'

/**
 * Whether an application may be used in a workspace, which is the value of a column: one that is
 * public in any, another in its own alone (contract 4.4). The statement joins `applications`.
 */
export const usableIn = (column: `${string}.workspace_id`) =>
  sql<boolean>`(applications.distribution = 'public' or applications.workspace_id = ${sql.ref(column)})`
