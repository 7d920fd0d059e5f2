import { sql } from 'kysely'
import type { Dialect } from '#storage/dialect.ts'
import { isLasting } from '#storage/oauth.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, type Scoped, shaped } from '#storage/statement.ts'
import type { Grant } from './internal.ts'

type AtNow = Scoped<{ now: string }>

/** As it is shown. Needs the application joined. */
const shown = ({ engine, json }: Dialect) => {
  const application = json<Grant['application']>('applications', { id: 'word', name: 'plain' })
  return json<Grant>('grants', {
    id: 'word',
    application: engine === 'sqlite' ? sql`json(${application})` : sql`${application}::json`,
    scopes: 'json',
    created_at: 'word',
    last_used_at: 'plain',
  })
}

/** The grants of the actor that last. */
export const grantsOfViewer = shaped((order: Order) =>
  query((db, $: AtNow & Window, dialect) =>
    paged(
      db
        .selectFrom('grants')
        .innerJoin('applications', 'applications.id', 'grants.application_id')
        .select(['grants.id', shown(dialect).as('json')])
        .where('grants.workspace_id', '=', $.workspace_id)
        .where('grants.user_id', '=', $.viewer_id)
        .where(isLasting($.now)),
      $,
      'grants.id',
      order,
    ),
  ),
)

/** One of them. */
export const grantOfViewer = query((db, $: AtNow & { id: string }) =>
  db
    .selectFrom('grants')
    .select(['id', 'user_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.viewer_id)
    .where('id', '=', $.id)
    .where(isLasting($.now)),
)

/** Its codes and tokens go with it. */
export const removeGrant = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('grants').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
