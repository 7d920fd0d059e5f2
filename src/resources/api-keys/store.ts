import { sql } from 'kysely'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { ApiKey } from './internal.ts'

/** Owners and admins see all keys, others see their own (docs/spec/api.md#keys-applications-consent). */
const isVisible = ($: Scoped) =>
  sql<boolean>`(${$.viewer_sees_all} = 1 or api_keys.user_id = ${$.viewer_id})`

const FIELDS = {
  id: 'word',
  name: 'plain',
  user_id: 'word',
  hint: 'word',
  scopes: 'json',
  expires_at: 'plain',
  rate_limit: 'plain',
  supervision: 'json',
  allowed_until: 'plain',
  paused_at: 'plain',
  last_used_at: 'plain',
  created_at: 'word',
} as const

export const visibleApiKeys = memoizeByShape((order: ListOrder) =>
  query((db, $: Scoped<PageWindow>, { json }) =>
    paginate(
      db
        .selectFrom('api_keys')
        .select(['id', json<ApiKey>('api_keys', FIELDS).as('json')])
        .where(isVisible($)),
      $,
      'api_keys.id',
      order,
    ),
  ),
)

export const visibleApiKeyById = query((db, $: Scoped<{ id: string }>, { json }) =>
  db
    .selectFrom('api_keys')
    .select(['id', 'user_id', json<ApiKey>('api_keys', FIELDS).as('json')])
    .where('id', '=', $.id)
    .where(isVisible($)),
)
