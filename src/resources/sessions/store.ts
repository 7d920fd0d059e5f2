import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import { memoizeByShape, type Scoped, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { rolesWith } from '#wire/rights.ts'

/** Sessions belong to a user, not to a workspace, so every statement binds the user. */
interface SessionOwner {
  user_id: string
}

/** The workspace of a session. */
export const workspaceOfSession = unscopedQuery((db, $: SessionOwner & { id: string }) =>
  db
    .selectFrom('sessions')
    .select('workspace_id as stands_in')
    .where('id', '=', $.id)
    .where('user_id', '=', $.user_id),
)

export const settingsOfUser = unscopedQuery((db, $: SessionOwner) =>
  db.selectFrom('users').select('hours_per_day').where('id', '=', $.user_id),
)

/** The workspaces of a user, by name; deleted ones only for their owners. */
export const workspacesOfUser = unscopedQuery((db, $: SessionOwner) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select(['workspaces.id', 'workspaces.name', 'memberships.role', 'workspaces.deleted_at'])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where((is) =>
      is.or([
        is('workspaces.deleted_at', 'is', null),
        is('memberships.role', 'in', rolesWith('own_workspace')),
      ]),
    )
    .orderBy('workspaces.name')
    .orderBy('workspaces.id'),
)

interface SessionLifetimes {
  now: string
  used_since: string
}

/** The sessions of a user that have not ended. */
export const selectSessions = memoizeByShape((order: ListOrder) =>
  unscopedQuery((db, $: Scoped<PageWindow & SessionOwner & SessionLifetimes>) => {
    const rows = db
      .selectFrom('sessions')
      .innerJoin('workspaces', 'workspaces.id', 'sessions.workspace_id')
      .select([
        'sessions.id',
        'sessions.user_agent',
        'sessions.address',
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
    return paginate(rows, $, 'sessions.id', order)
  }),
)

export const removeSession = unscopedCommand((db, $: SessionOwner & { id: string }) =>
  db.deleteFrom('sessions').where('id', '=', $.id).where('user_id', '=', $.user_id),
)
