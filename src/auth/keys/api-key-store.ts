import {
  command,
  insertRow,
  type QueryBuilder,
  query,
  type Scoped,
  unscopedQuery,
} from '#db/core/statement.ts'
import { ACTOR_COLUMNS } from '../actor-columns.ts'

/**
 * Keys with all columns of an actor, except of users who are no longer members of the workspace.
 */
const selectApiKeyActors = (db: QueryBuilder) =>
  db
    .selectFrom('api_keys')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'api_keys.workspace_id')
        .onRef('memberships.user_id', '=', 'api_keys.user_id'),
    )
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .select([
      'api_keys.workspace_id',
      'api_keys.user_id',
      'api_keys.id as credential_id',
      'api_keys.name as credential_name',
      'api_keys.expires_at',
      'api_keys.scopes',
      'api_keys.rate_limit',
      'api_keys.supervision',
      'api_keys.allowed_until',
      'api_keys.paused_at',
      ...ACTOR_COLUMNS,
    ])
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null)

export const apiKeyByHash = unscopedQuery((db, $: { hash: string }) =>
  selectApiKeyActors(db).where('hash', '=', $.hash),
)

export const apiKeyActorById = unscopedQuery((db, $: { id: string }) =>
  selectApiKeyActors(db).where('api_keys.id', '=', $.id),
)

const COLUMNS = [
  'id',
  'user_id',
  'name',
  'hint',
  'expires_at',
  'rate_limit',
  'last_used_at',
  'created_at',
] as const

export const insertApiKey = insertRow('api_keys', 'hash', 'scopes', 'supervision', ...COLUMNS)

/** The membership of a user who may have API keys: one that has not ended. */
export const activeMembershipOfUser = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('user_id', '=', $.user_id)
    .where('removed_at', 'is', null),
)

/** Per workspace (docs/spec/api.md#types-and-codes). */
export const MAX_API_KEYS_PER_USER = 100

export const apiKeyCountOfUser = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('api_keys')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('user_id', '=', $.user_id),
)

export const apiKeysOfWorkspace = query((db) =>
  db
    .selectFrom('api_keys')
    .select([...COLUMNS, 'scopes', 'supervision', 'allowed_until', 'paused_at'])
    .orderBy('id'),
)

export const apiKeyById = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('api_keys').select(['user_id', 'rate_limit']).where('id', '=', $.id),
)

export const changeRateLimitOfApiKey = command(
  (db, $: Scoped<{ id: string; rate_limit: number | null }>) =>
    db.updateTable('api_keys').set({ rate_limit: $.rate_limit }).where('id', '=', $.id),
)

export const removeApiKey = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('api_keys').where('id', '=', $.id),
)

export const workspaceOfApiKey = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('api_keys').select('workspace_id').where('id', '=', $.id),
)

export const touchApiKey = command((db, $: Scoped<{ id: string; at: string }>) =>
  db.updateTable('api_keys').set({ last_used_at: $.at }).where('id', '=', $.id),
)

export const touchMembership = command((db, $: Scoped<{ user_id: string; at: string }>) =>
  db.updateTable('memberships').set({ last_active_at: $.at }).where('user_id', '=', $.user_id),
)
