import { query, type Scoped } from '#db/core/statement.ts'

/** The transaction's workspace, without the rate limit of its plan, which is a setting. */
export const currentWorkspace = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at'])
    .where('id', '=', $.workspace_id),
)
