import { sql } from 'kysely'
import type { Dialect } from '#storage/dialect.ts'
import { isLasting } from '#storage/oauth.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, row, type Scoped, shaped } from '#storage/statement.ts'
import type { ApplicationRow } from '#storage/tables.ts'
import type { Application, Authorization } from './internal.ts'

type OfOne = Scoped<{ id: string }>

/** An application as it is shown, never with its secret: the one place that says so. */
const shown = ({ json }: Dialect) =>
  json<Application>('applications', {
    id: 'word',
    name: 'plain',
    description: 'plain',
    homepage_url: 'plain',
    type: 'word',
    distribution: 'word',
    redirect_uris: 'json',
    scopes: 'json',
    secret_hint: 'plain',
    created_by_id: 'word',
    created_at: 'word',
    updated_at: 'word',
  })

/** The applications of the workspace: those of the whole installation are not among them. */
export const applicationsIn = shaped((order: Order) =>
  query((db, $: Scoped<Window>, dialect) =>
    paged(
      db
        .selectFrom('applications')
        .select(['id', shown(dialect).as('json')])
        .where('workspace_id', '=', $.workspace_id),
      $,
      'applications.id',
      order,
    ),
  ),
)

/** All of them; a workspace has not many. */
export const applicationsOf = query((db, $: Scoped, dialect) =>
  db
    .selectFrom('applications')
    .select(shown(dialect).as('json'))
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id'),
)

/** What a PATCH sets. */
const CONFIGURATION = [
  'name',
  'description',
  'homepage_url',
  'distribution',
  'redirect_uris',
  'scopes',
] as const

export type Configuration = Pick<ApplicationRow, (typeof CONFIGURATION)[number]>

export const applicationInWorkspace = query((db, $: OfOne, dialect) =>
  db
    .selectFrom('applications')
    .select(['id', 'type', 'updated_at', ...CONFIGURATION, shown(dialect).as('json')])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const changeApplication = command(
  (db, $: Scoped<Configuration & Pick<ApplicationRow, 'id' | 'updated_at'>>) =>
    db
      .updateTable('applications')
      .set(row($, 'updated_at', ...CONFIGURATION))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)

/** All grants and tokens of it go too. */
export const removeApplication = command((db, $: OfOne) =>
  db.deleteFrom('applications').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

/** Ends what persons of other workspaces have allowed an application. */
export const removeGrantsElsewhere = command((db, $: OfOne) =>
  db
    .deleteFrom('grants')
    .where('application_id', '=', $.id)
    .where('workspace_id', '<>', $.workspace_id),
)

/** The grants of an application in the workspace: ids, and whose they are. */
export const grantsOfApplication = query((db, $: OfOne) =>
  db
    .selectFrom('grants')
    .select(['id', 'user_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where('application_id', '=', $.id),
)

/** Those of them that last, as they are shown to owners and admins. */
export const authorizationsOf = shaped((order: Order) =>
  query((db, $: OfOne & Window & { now: string }, dialect) =>
    paged(
      db
        .selectFrom('grants')
        .innerJoin('users', 'users.id', 'grants.user_id')
        .select(['grants.id', authorization(dialect).as('json')])
        .where('grants.workspace_id', '=', $.workspace_id)
        .where('grants.application_id', '=', $.id)
        .where(isLasting($.now)),
      $,
      'grants.id',
      order,
    ),
  ),
)

const authorization = ({ engine, json }: Dialect) => {
  const user = json<Authorization['user']>('users', { id: 'word', name: 'plain' })
  return json<Authorization>('grants', {
    id: 'word',
    user: engine === 'sqlite' ? sql`json(${user})` : sql`${user}::json`,
    scopes: 'json',
    created_at: 'word',
    last_used_at: 'plain',
  })
}
