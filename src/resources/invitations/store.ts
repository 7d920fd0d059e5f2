import type { Dialect } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, queryOfAll, row, type Scoped, shaped } from '#storage/statement.ts'
import type { InvitationRow } from '#storage/tables.ts'
import type { Invitation } from './internal.ts'

const shown = ({ json }: Dialect) =>
  json<Invitation>('invitations', {
    id: 'word',
    email: 'plain',
    role: 'word',
    project_ids: 'json',
    invited_by_id: 'word',
    expires_at: 'word',
    created_at: 'word',
  })

export const invitationsIn = shaped((order: Order) =>
  query((db, $: Scoped<Window>, dialect) =>
    paged(
      db
        .selectFrom('invitations')
        .select(['id', shown(dialect).as('json')])
        .where('workspace_id', '=', $.workspace_id),
      $,
      'invitations.id',
      order,
    ),
  ),
)

export const invitationById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('invitations')
    .select(['id', shown(dialect).as('json')])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const insertInvitation = command((db, $: Scoped<InvitationRow>) =>
  db
    .insertInto('invitations')
    .values(
      row(
        $,
        'workspace_id',
        'id',
        'email',
        'role',
        'project_ids',
        'invited_by_id',
        'hash',
        'expires_at',
        'created_at',
      ),
    ),
)

export const removeInvitation = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('invitations').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)

export const removeInvitationTo = command((db, $: Scoped<{ email: string }>) =>
  db
    .deleteFrom('invitations')
    .where('workspace_id', '=', $.workspace_id)
    .where('email', '=', $.email),
)

/** Uses an invitation up; of two that accept it at once one changes no row. */
export const useInvitation = command((db, $: Scoped<{ hash: string; now: string }>) =>
  db
    .deleteFrom('invitations')
    .where('workspace_id', '=', $.workspace_id)
    .where('hash', '=', $.hash)
    .where('expires_at', '>', $.now),
)

/** An invitation of whatever workspace, and the account that its address has, if any. */
export const invitationByHash = queryOfAll((db, $: { hash: string; now: string }) =>
  db
    .selectFrom('invitations')
    .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .innerJoin('users as inviter', 'inviter.id', 'invitations.invited_by_id')
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
    ])
    .where('invitations.hash', '=', $.hash)
    .where('invitations.expires_at', '>', $.now)
    .where('workspaces.deleted_at', 'is', null),
)

/** Whether the account of an address is of an active member. */
export const memberWithEmail = query((db, $: Scoped<{ email: string }>) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.workspace_id', '=', $.workspace_id)
    .where('memberships.removed_at', 'is', null)
    .where('users.email', '=', $.email),
)
