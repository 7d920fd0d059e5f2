import { query, type Scoped } from '#storage/statement.ts'

/** The workspace of the transaction, but for the limit that its plan has. */
export const workspaceAtHand = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at'])
    .where('id', '=', $.workspace_id),
)
