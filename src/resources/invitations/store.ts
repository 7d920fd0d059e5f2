import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  insertRow,
  memoizeByShape,
  query,
  type Scoped,
  unscopedQuery,
} from '#db/core/statement.ts'
import { rolesWith } from '#wire/rights.ts'
import type { Invitation } from './internal.ts'

const invitationJson = ({ json }: Dialect) =>
  json<Invitation>('invitations', {
    id: 'word',
    email: 'plain',
    role: 'word',
    project_ids: 'json',
    invited_by_id: 'word',
    expires_at: 'word',
    created_at: 'word',
  })

export const selectInvitations = memoizeByShape((order: ListOrder) =>
  query((db, $: Scoped<PageWindow>, dialect) =>
    paginate(
      db.selectFrom('invitations').select(['id', invitationJson(dialect).as('json')]),
      $,
      'invitations.id',
      order,
    ),
  ),
)

export const invitationById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('invitations')
    .select(['id', invitationJson(dialect).as('json')])
    .where('id', '=', $.id),
)

export const insertInvitation = insertRow(
  'invitations',
  'id',
  'email',
  'role',
  'project_ids',
  'invited_by_id',
  'hash',
  'expires_at',
  'created_at',
)

export const removeInvitation = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('invitations').where('id', '=', $.id),
)

export const removeInvitationByEmail = command((db, $: Scoped<{ email: string }>) =>
  db.deleteFrom('invitations').where('email', '=', $.email),
)

/** Consumes an invitation. If two requests accept it at once, one of them changes no row. */
export const consumeInvitation = command((db, $: Scoped<{ hash: string; now: string }>) =>
  db.deleteFrom('invitations').where('hash', '=', $.hash).where('expires_at', '>', $.now),
)

/**
 * An invitation in any workspace, with the account of its email address, if there is one. No row if
 * its inviter could not invite to its role any more, because they were removed or have another role.
 */
export const invitationByHash = unscopedQuery((db, $: { hash: string; now: string }) =>
  db
    .selectFrom('invitations')
    .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .innerJoin('users as inviter', 'inviter.id', 'invitations.invited_by_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'invitations.workspace_id')
        .onRef('memberships.user_id', '=', 'invitations.invited_by_id'),
    )
    .leftJoin('users', 'users.email', 'invitations.email')
    .select([
      'invitations.workspace_id',
      'invitations.id',
      'invitations.email',
      'invitations.role',
      'invitations.project_ids',
      'workspaces.name as workspace_name',
      'workspaces.timezone',
      'inviter.name as invited_by_name',
      'users.id as user_id',
      'users.name',
      'users.password_hash',
      'users.verified_email',
    ])
    .where('invitations.hash', '=', $.hash)
    .where('invitations.expires_at', '>', $.now)
    .where('workspaces.deleted_at', 'is', null)
    .where('memberships.removed_at', 'is', null)
    .where((is) =>
      is.or([
        is('memberships.role', 'in', rolesWith('own_workspace')),
        is.and([
          is('memberships.role', 'in', rolesWith('manage_workspace')),
          is('invitations.role', 'not in', rolesWith('own_workspace')),
        ]),
      ]),
    ),
)

/** The active member whose account has an email address. */
export const memberByEmail = query((db, $: Scoped<{ email: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.removed_at', 'is', null)
    .where('users.email', '=', $.email),
)
