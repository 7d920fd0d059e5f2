import { query, type Scoped } from '#storage/statement.ts'

/** A membership, also of somebody who was removed. */
export const membershipOf = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['user_id', 'role', 'removed_at', 'users.name', 'users.timezone'])
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

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
