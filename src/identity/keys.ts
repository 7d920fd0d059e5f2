import { command, query, queryOfAll, row, type Scoped } from '#storage/statement.ts'
import type { ApiKeyRow } from '#storage/tables.ts'
import { ACTOR_COLUMNS } from './actor-columns.ts'

/** A key with all that an actor needs to know; none if its person is no longer a member. */
export const keyByHash = queryOfAll((db, $: { hash: string }) =>
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
      ...ACTOR_COLUMNS,
    ])
    .where('hash', '=', $.hash)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null),
)

const COLUMNS = [
  'id',
  'user_id',
  'name',
  'hint',
  'expires_at',
  'last_used_at',
  'created_at',
] as const

export const insertKey = command((db, $: Scoped<ApiKeyRow>) =>
  db.insertInto('api_keys').values(row($, 'workspace_id', 'hash', 'scopes', ...COLUMNS)),
)

/** The most keys that one person may have (contract 2.2). */
export const MOST_KEYS = 100

export const keysOfUser = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('api_keys')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

export const keysOfWorkspace = query((db, $: Scoped) =>
  db
    .selectFrom('api_keys')
    .select([...COLUMNS, 'scopes'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id'),
)

export const personOfKey = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('api_keys')
    .select('user_id')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const removeKey = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('api_keys').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

export const workspaceOfKey = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('api_keys').select('workspace_id').where('id', '=', $.id),
)

export const touchKey = command((db, $: Scoped<{ id: string; at: string }>) =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: $.at })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const touchMember = command((db, $: Scoped<{ user_id: string; at: string }>) =>
  db
    .updateTable('memberships')
    .set({ last_active_at: $.at })
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)
