import { command, query, row, type Scoped } from '#storage/statement.ts'
import type { MembershipRow } from '#storage/tables.ts'

/** A membership, also of somebody who was removed. */
export const membershipOf = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .select(['role', 'removed_at'])
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

/** An owner of the workspace beside this person. */
export const anotherOwner = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '<>', $.user_id)
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .limit(1),
)

/** Makes a membership, or one anew that was ended; one that lasts is left alone, and no row changes. */
export const putMembership = command((db, $: Scoped<MembershipRow>) => {
  const given = row(
    $,
    'role',
    'name_key',
    'name_words',
    'joined_at',
    'removed_at',
    'last_active_at',
  )
  return db
    .insertInto('memberships')
    .values({ ...row($, 'workspace_id', 'user_id'), ...given })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'user_id'])
        .doUpdateSet(given)
        .where('memberships.removed_at', 'is not', null),
    )
})

export const setRole = command((db, $: Scoped<Pick<MembershipRow, 'user_id' | 'role'>>) =>
  db
    .updateTable('memberships')
    .set({ role: $.role })
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

export const removeMembership = command((db, $: Scoped<{ user_id: string; removed_at: string }>) =>
  db
    .updateTable('memberships')
    .set({ removed_at: $.removed_at })
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

/** Ends all API keys of a person in the workspace. */
export const removeKeysOf = command((db, $: Scoped<{ user_id: string }>) =>
  db
    .deleteFrom('api_keys')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

/** Ends all that a person has allowed applications in the workspace. */
export const removeGrantsOf = command((db, $: Scoped<{ user_id: string }>) =>
  db
    .deleteFrom('grants')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

/** Ends all sessions of a person that stand in the workspace. */
export const removeSessionsOf = command((db, $: Scoped<{ user_id: string }>) =>
  db
    .deleteFrom('sessions')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)
