import { sql } from 'kysely'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import type { ApiKey } from './internal.ts'

/** Owners and admins see the keys of all, others their own (contract 9.4). */
const inSight = ($: Scoped) =>
  sql<boolean>`(${$.viewer_sees_all} = 1 or api_keys.user_id = ${$.viewer_id})`

/** The keys that the actor may see. */
export const keysInSight = shaped((order: Order) =>
  query((db, $: Scoped<Window>, { json }) =>
    paged(
      db
        .selectFrom('api_keys')
        .select([
          'id',
          json<ApiKey>('api_keys', {
            id: 'word',
            name: 'plain',
            user_id: 'word',
            hint: 'word',
            scopes: 'json',
            expires_at: 'plain',
            last_used_at: 'plain',
            created_at: 'word',
          }).as('json'),
        ])
        .where('workspace_id', '=', $.workspace_id)
        .where(inSight($)),
      $,
      'api_keys.id',
      order,
    ),
  ),
)

/** One of them. */
export const keyInSight = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('api_keys')
    .select(['id', 'user_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where(inSight($)),
)
