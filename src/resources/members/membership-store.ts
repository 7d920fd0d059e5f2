import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import type { MembershipRow } from '#db/schema/tables.ts'

/** A membership, active or removed. */
export const membershipByUser = query((db, $: Scoped<{ user_id: string }>) =>
  db.selectFrom('memberships').select(['role', 'removed_at']).where('user_id', '=', $.user_id),
)

/** Another active owner of the workspace. */
export const otherOwner = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('user_id', '<>', $.user_id)
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .limit(1),
)

const MEMBERSHIP_COLUMNS = [
  'role',
  'name_key',
  'name_words',
  'joined_at',
  'removed_at',
  'last_active_at',
] as const

/** Inserts a membership. Changes no row if there is one, active or removed. */
export const insertMembership = command((db, $: Scoped<MembershipRow>) =>
  db
    .insertInto('memberships')
    .values(pickSlots($, 'workspace_id', 'user_id', ...MEMBERSHIP_COLUMNS))
    .onConflict((conflict) => conflict.doNothing()),
)

/**
 * Renews a removed membership. Changes no row if it is active. It must not be an insert with a conflict
 * clause, whose policy SQLite applies in triggers, too: their tombstones could then not be there already.
 */
export const renewMembership = command((db, $: Scoped<MembershipRow>) =>
  db
    .updateTable('memberships')
    .set(pickSlots($, ...MEMBERSHIP_COLUMNS))
    .where('user_id', '=', $.user_id)
    .where('removed_at', 'is not', null),
)

export const setRole = command((db, $: Scoped<Pick<MembershipRow, 'user_id' | 'role'>>) =>
  db.updateTable('memberships').set({ role: $.role }).where('user_id', '=', $.user_id),
)

export const removeMembership = command((db, $: Scoped<{ user_id: string; removed_at: string }>) =>
  db.updateTable('memberships').set({ removed_at: $.removed_at }).where('user_id', '=', $.user_id),
)

/** Deletes the API keys of a user in the workspace. */
export const removeApiKeysOfMember = command((db, $: Scoped<{ user_id: string }>) =>
  db.deleteFrom('api_keys').where('user_id', '=', $.user_id),
)

/** Revokes all grants of a user in the workspace. */
export const removeGrantsOfMember = command((db, $: Scoped<{ user_id: string }>) =>
  db.deleteFrom('grants').where('user_id', '=', $.user_id),
)

/** Ends the sessions of a user in the workspace. */
export const removeSessionsOfMember = command((db, $: Scoped<{ user_id: string }>) =>
  db
    .deleteFrom('sessions')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

export const invitationsOfMember = query((db, $: Scoped<{ user_id: string }>) =>
  db.selectFrom('invitations').select(['id', 'role']).where('invited_by_id', '=', $.user_id),
)

export const removeInvitationOfMember = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('invitations').where('id', '=', $.id),
)
