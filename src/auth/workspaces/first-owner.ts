import { query, type Scoped } from '#db/core/statement.ts'

/** The member who has been an owner longest. The command line acts on behalf of this user. */
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
