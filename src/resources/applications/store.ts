import { sql } from 'kysely'
import { isGrantUsable } from '#db/access/oauth-grants.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  memoizeByShape,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
} from '#db/core/statement.ts'
import type { ApplicationRow } from '#db/schema/tables.ts'
import type { Application, ApplicationGrant } from './internal.ts'

type ApplicationIdParams = Scoped<{ id: string }>

/** The JSON of an application, which never holds its secret. */
const applicationJson = ({ json }: Dialect) =>
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

/** The applications of the workspace, without those that belong to the whole installation. */
export const selectApplications = memoizeByShape((order: ListOrder) =>
  query((db, $: Scoped<PageWindow>, dialect) =>
    paginate(
      db
        .selectFrom('applications')
        .select(['id', applicationJson(dialect).as('json')])
        .where('workspace_id', '=', $.workspace_id),
      $,
      'applications.id',
      order,
    ),
  ),
)

/** The same without paging: a workspace has at most 50. */
export const applicationsOfWorkspace = query((db, $: Scoped, dialect) =>
  db
    .selectFrom('applications')
    .select(applicationJson(dialect).as('json'))
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id'),
)

/** The columns that a PATCH can set. */
const CONFIGURATION_COLUMNS = [
  'name',
  'description',
  'homepage_url',
  'distribution',
  'redirect_uris',
  'scopes',
] as const

export type ApplicationConfiguration = Pick<ApplicationRow, (typeof CONFIGURATION_COLUMNS)[number]>

export const applicationOfWorkspaceById = query((db, $: ApplicationIdParams, dialect) =>
  db
    .selectFrom('applications')
    .select([
      'id',
      'type',
      'updated_at',
      ...CONFIGURATION_COLUMNS,
      applicationJson(dialect).as('json'),
    ])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const changeApplication = command(
  (db, $: Scoped<ApplicationConfiguration & Pick<ApplicationRow, 'id' | 'updated_at'>>) =>
    db
      .updateTable('applications')
      .set(pickSlots($, 'updated_at', ...CONFIGURATION_COLUMNS))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)

/** Foreign keys delete its grants and tokens too. */
export const removeApplication = command((db, $: ApplicationIdParams) =>
  db.deleteFrom('applications').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

/** Revokes the grants that members of other workspaces have given an application. */
export const removeGrantsInOtherWorkspaces = unscopedCommand((db, $: ApplicationIdParams) =>
  db
    .deleteFrom('grants')
    .where('application_id', '=', $.id)
    .where('workspace_id', '<>', $.workspace_id),
)

/** The grants of an application in the workspace, with the users who gave them. */
export const grantsOfApplication = query((db, $: ApplicationIdParams) =>
  db.selectFrom('grants').select(['id', 'user_id']).where('application_id', '=', $.id),
)

/** The grants that have not expired, as JSON for owners and admins. */
export const selectActiveGrants = memoizeByShape((order: ListOrder) =>
  query((db, $: ApplicationIdParams & PageWindow & { now: string }, dialect) =>
    paginate(
      db
        .selectFrom('grants')
        .innerJoin('users', 'users.id', 'grants.user_id')
        .select(['grants.id', grantJson(dialect).as('json')])
        .where('grants.application_id', '=', $.id)
        .where(isGrantUsable($.now)),
      $,
      'grants.id',
      order,
    ),
  ),
)

const grantJson = ({ engine, json }: Dialect) => {
  const user = json<ApplicationGrant['user']>('users', { id: 'word', name: 'plain' })
  return json<ApplicationGrant>('grants', {
    id: 'word',
    user: engine === 'sqlite' ? sql`json(${user})` : sql`${user}::json`,
    scopes: 'json',
    created_at: 'word',
    last_used_at: 'plain',
  })
}
