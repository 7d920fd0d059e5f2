import { query, type Scoped } from '#storage/statement.ts'

/** The person for whom the command line acts: who owns the workspace longest. */
export const firstOwner = query((db, $: Scoped) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .orderBy('joined_at')
    .orderBy('user_id')
    .limit(1),
)
