import type { Selectable } from 'kysely'
import type { UserActor } from '#core/actor.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { isGrantUsable } from '#db/access/oauth-grants.ts'
import { pickSlots, type QueryBuilder, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { GrantRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { isToken } from '#lib/token.ts'
import { isScope, type Scope } from '#wire/scopes.ts'
import type { Supervision } from '#wire/supervision.ts'
import { ACTOR_COLUMNS } from '../actor-columns.ts'
import { readSupervision } from '../supervision.ts'
import { isApplicationUsableIn } from './application-usability.ts'
import { hashOAuthValue } from './oauth-records.ts'

/** Checks only the format, not whether the token was issued. */
export const isAccessToken = (text: string): boolean => isToken('dat_', text)

export const isRefreshToken = (text: string): boolean => isToken('drt_', text)

/**
 * Returns the actor of an access token, or undefined if the token is unknown or if its grant, its
 * application or its user's membership has ended. The actor may do what the token, the application
 * and the role all allow at present (docs/spec/api.md#authentication-and-authorization).
 */
export async function authenticateAccessToken(
  tx: ReadTx,
  token: string,
): Promise<UserActor | undefined> {
  const row = await tx.one(accessTokenByHash, { hash: hashOAuthValue(token) })
  if (!row) return undefined
  const { payload, expires_at, application_scopes, grant_scopes: _, ...actor } = row
  const { exp, scope } = JSON.parse(payload) as { exp: number; scope?: string }
  const registeredScopes = new Set(JSON.parse(application_scopes) as string[])
  const scopes = (scope ?? '')
    .split(' ')
    .filter((name) => isScope(name) && registeredScopes.has(name))
  return {
    ...actor,
    ...readSupervision(row),
    type: 'app',
    expires_at: timestampOf(exp * 1000),
    scopes: new Set(scopes.filter(isScope)),
  }
}

/**
 * Returns the actor of a grant without one of its tokens, to run what one of them has asked for: it may do what the
 * grant, the application and the role all allow at present. Undefined if one of them has ended.
 */
export async function actorOfGrant(tx: ReadTx, id: string): Promise<UserActor | undefined> {
  const row = await tx.one(grantActorById, { id, now: tx.now })
  if (!row) return undefined
  const { grant_scopes, application_scopes, ...actor } = row
  const registeredScopes = new Set(JSON.parse(application_scopes) as string[])
  const scopes = (JSON.parse(grant_scopes) as Scope[]).filter((name) => registeredScopes.has(name))
  return {
    ...actor,
    ...readSupervision(row),
    type: 'app',
    expires_at: null,
    scopes: new Set(scopes),
  }
}

/** Grants with all columns of an actor, as long as they can be used. */
const selectGrantActors = (db: QueryBuilder) =>
  db
    .selectFrom('grants')
    .innerJoin('applications', 'applications.id', 'grants.application_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'grants.workspace_id')
        .onRef('memberships.user_id', '=', 'grants.user_id'),
    )
    .innerJoin('users', 'users.id', 'grants.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'grants.workspace_id')
    .select([
      'grants.workspace_id',
      'grants.user_id',
      'grants.id as grant_id',
      'applications.id as credential_id',
      'applications.name as credential_name',
      'applications.scopes as application_scopes',
      'grants.scopes as grant_scopes',
      'grants.supervision',
      'grants.allowed_until',
      'grants.paused_at',
      ...ACTOR_COLUMNS,
    ])
    .where(isApplicationUsableIn('grants.workspace_id'))
    .where('memberships.removed_at', 'is', null)

const accessTokenByHash = unscopedQuery((db, $: { hash: string }) =>
  selectGrantActors(db)
    .innerJoin('oauth_records', 'oauth_records.grant_id', 'grants.id')
    .select(['oauth_records.payload', 'oauth_records.expires_at'])
    .where('oauth_records.kind', '=', 'AccessToken')
    .where('oauth_records.hash', '=', $.hash),
)

const grantActorById = unscopedQuery((db, $: { id: string; now: string }) =>
  selectGrantActors(db)
    .where('grants.id', '=', $.id)
    .where(isGrantUsable($.now))
    .where('workspaces.deleted_at', 'is', null),
)

/** A grant expires after this time if no token was requested for it. */
const UNUSED_TTL_MS = 15 * 60 * 1000

interface NewGrant {
  workspace_id: string
  user_id: string
  application_id: string
  scopes: readonly Scope[]
  /** What it may do only once the user has looked at it; undefined: as in their last authorization of it. */
  supervision?: Supervision | null | undefined
}

/** Stores what a user allows an application to do in a workspace. Returns the id of the grant. */
export async function createGrant(
  tx: WriteTx,
  { workspace_id, scopes, supervision: chosen, ...grant }: NewGrant,
): Promise<string> {
  const id = newId('grt', tx.nowMs)
  const former = await tx.one(newestGrant, { ...grant, in_workspace: workspace_id })
  const supervision =
    chosen === undefined ? (former?.supervision ?? null) : chosen && JSON.stringify(chosen)
  await tx.run(insertGrant, {
    id,
    ...grant,
    in_workspace: workspace_id,
    scopes: JSON.stringify(scopes.toSorted()),
    created_at: tx.now,
    last_used_at: null,
    expires_at: timestampOf(tx.nowMs + UNUSED_TTL_MS),
    supervision,
  })
  tx.audit('grant.created', id, { ...grant, scopes: scopes.toSorted() }, workspace_id)
  if (chosen) tx.audit('credential.supervised', id, { supervision: chosen }, workspace_id)
  return id
}

/** The last authorization of an application by a user, so that a new one is not a way round its supervision. */
const newestGrant = unscopedQuery(
  (db, $: { user_id: string; application_id: string; in_workspace: string }) =>
    db
      .selectFrom('grants')
      .select('supervision')
      .where('user_id', '=', $.user_id)
      .where('application_id', '=', $.application_id)
      .where('workspace_id', '=', $.in_workspace)
      .orderBy('id', 'desc')
      .limit(1),
)

/** The transaction would fill in a slot `workspace_id`, but it may belong to another workspace. */
type GrantInsert = Omit<Selectable<GrantRow>, 'workspace_id' | 'allowed_until' | 'paused_at'> & {
  in_workspace: string
}
const insertGrant = unscopedCommand((db, $: GrantInsert) =>
  db.insertInto('grants').values({
    ...pickSlots($, 'id', 'user_id', 'application_id', 'scopes'),
    ...pickSlots($, 'created_at', 'last_used_at', 'expires_at', 'supervision'),
    workspace_id: $.in_workspace,
  }),
)

/**
 * A grant and the scopes of its application. No row if the application may not be used in the
 * workspace.
 */
export const grantById = unscopedQuery((db, $: { id: string }) =>
  db
    .selectFrom('grants')
    .innerJoin('applications', 'applications.id', 'grants.application_id')
    .select([
      'grants.workspace_id',
      'grants.user_id',
      'grants.application_id',
      'grants.scopes',
      'grants.created_at',
      'grants.expires_at',
      'applications.scopes as registered_scopes',
    ])
    .where('grants.id', '=', $.id)
    .where(isApplicationUsableIn('grants.workspace_id')),
)

/** A row if the person of a session has approved the application and not revoked it since. */
export const approvalOfApplication = unscopedQuery(
  (db, $: { session_id: string; application_id: string }) =>
    db
      .selectFrom('sessions')
      .innerJoin('grants', 'grants.user_id', 'sessions.user_id')
      .select('grants.id')
      .where('sessions.id', '=', $.session_id)
      .where('grants.application_id', '=', $.application_id)
      .limit(1),
)

/** A row if the person of a session is a member of the workspace that has registered the application. */
export const membershipInOwningWorkspace = unscopedQuery(
  (db, $: { session_id: string; application_id: string }) =>
    db
      .selectFrom('sessions')
      .innerJoin('applications', (join) => join.on('applications.id', '=', $.application_id))
      .innerJoin('memberships', (join) =>
        join
          .onRef('memberships.workspace_id', '=', 'applications.workspace_id')
          .onRef('memberships.user_id', '=', 'sessions.user_id'),
      )
      .select('memberships.user_id')
      .where('sessions.id', '=', $.session_id)
      .where('memberships.removed_at', 'is', null),
)

/**
 * Locks the grant, so that changes of its tokens are serialized. Updates 0 rows if the grant has
 * ended.
 */
export const lockGrant = unscopedCommand((db, $: { id: string; expires_at: string }) =>
  db
    .updateTable('grants')
    .set((is) => ({
      expires_at: is
        .case()
        .when('expires_at', '<', $.expires_at)
        .then(is.val($.expires_at))
        .else(is.ref('expires_at'))
        .end(),
    }))
    .where('id', '=', $.id),
)

/** Deletes a grant; its codes and tokens are deleted by cascade. */
export const removeGrantById = unscopedCommand((db, $: { id: string }) =>
  db.deleteFrom('grants').where('id', '=', $.id),
)

export const touchGrant = unscopedCommand((db, $: { id: string; at: string }) =>
  db.updateTable('grants').set({ last_used_at: $.at }).where('id', '=', $.id),
)
