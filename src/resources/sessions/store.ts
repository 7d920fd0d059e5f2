import { type Order, paged, type Window } from '#storage/paged.ts'
import { commandOfAll, queryOfAll, type Scoped, shaped } from '#storage/statement.ts'

/** A session is of a person, in whatever workspace it stands: what is asked here names the person. */
interface OfPerson {
  user_id: string
}

export const sessionById = queryOfAll((db, $: OfPerson & { id: string }) =>
  db
    .selectFrom('sessions')
    .select(['id', 'created_at', 'expires_at'])
    .where('id', '=', $.id)
    .where('user_id', '=', $.user_id),
)

/** Where a session stands. */
export const placeOfSession = queryOfAll((db, $: OfPerson & { id: string }) =>
  db
    .selectFrom('sessions')
    .select('workspace_id as stands_in')
    .where('id', '=', $.id)
    .where('user_id', '=', $.user_id),
)

/** The workspaces of which a person is a member, by name; a deleted one only for its owners. */
export const workspacesOf = queryOfAll((db, $: OfPerson) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['workspaces.id', 'workspaces.name', 'memberships.role', 'workspaces.deleted_at'])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where((is) =>
      is.or([is('workspaces.deleted_at', 'is', null), is('memberships.role', '=', 'owner')]),
    )
    .orderBy('workspaces.name')
    .orderBy('workspaces.id'),
)

interface Living {
  now: string
  used_since: string
}

/** The sessions of a person that have not ended. */
export const devicesWhere = shaped((order: Order) =>
  queryOfAll((db, $: Scoped<Window & OfPerson & Living>) => {
    const found = db
      .selectFrom('sessions')
      .innerJoin('workspaces', 'workspaces.id', 'sessions.workspace_id')
      .select([
        'sessions.id',
        'sessions.user_agent',
        'sessions.signed_in_by',
        'sessions.two_factors',
        'sessions.workspace_id',
        'workspaces.name as workspace_name',
        'sessions.last_used_at',
        'sessions.expires_at',
        'sessions.created_at',
      ])
      .where('sessions.user_id', '=', $.user_id)
      .where('sessions.expires_at', '>', $.now)
      .where('sessions.last_used_at', '>', $.used_since)
    return paged(found, $, 'sessions.id', order)
  }),
)

export const removeSession = commandOfAll((db, $: OfPerson & { id: string }) =>
  db.deleteFrom('sessions').where('id', '=', $.id).where('user_id', '=', $.user_id),
)
