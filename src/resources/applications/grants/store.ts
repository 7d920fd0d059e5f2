import { sql } from 'kysely'
import { isGrantUsable } from '#db/access/oauth-grants.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { command, memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Grant } from './internal.ts'

type GrantParams = Scoped<{ now: string }>

/** The JSON of a grant. Needs the application joined. */
const grantJson = ({ engine, json }: Dialect) => {
  const application = json<Grant['application']>('applications', { id: 'word', name: 'plain' })
  return json<Grant>('grants', {
    id: 'word',
    application: engine === 'sqlite' ? sql`json(${application})` : sql`${application}::json`,
    scopes: 'json',
    supervision: 'json',
    allowed_until: 'plain',
    paused_at: 'plain',
    created_at: 'word',
    last_used_at: 'plain',
  })
}

/** The grants of the actor that have not expired. */
export const grantsOfViewer = memoizeByShape((order: ListOrder) =>
  query((db, $: GrantParams & PageWindow, dialect) =>
    paginate(
      db
        .selectFrom('grants')
        .innerJoin('applications', 'applications.id', 'grants.application_id')
        .select(['grants.id', grantJson(dialect).as('json')])
        .where('grants.user_id', '=', $.viewer_id)
        .where(isGrantUsable($.now)),
      $,
      'grants.id',
      order,
    ),
  ),
)

export const grantOfViewer = query((db, $: GrantParams & { id: string }, dialect) =>
  db
    .selectFrom('grants')
    .innerJoin('applications', 'applications.id', 'grants.application_id')
    .select(['grants.id', 'grants.user_id', grantJson(dialect).as('json')])
    .where('grants.user_id', '=', $.viewer_id)
    .where('grants.id', '=', $.id)
    .where(isGrantUsable($.now)),
)

/** Foreign keys delete its codes and tokens too. */
export const removeGrant = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('grants').where('id', '=', $.id),
)
