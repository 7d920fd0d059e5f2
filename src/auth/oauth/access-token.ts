import type { UserActor } from '#core/actor.ts'
import type { ReadTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { timestampOf } from '#lib/clock.ts'
import { isToken } from '#lib/token.ts'
import { isScope } from '#wire/scopes.ts'
import { ACTOR_COLUMNS } from '../actor-columns.ts'
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
  const { payload, expires_at, application_scopes, ...actor } = row
  const { exp, scope } = JSON.parse(payload) as { exp: number; scope?: string }
  const registeredScopes = new Set(JSON.parse(application_scopes) as string[])
  const scopes = (scope ?? '')
    .split(' ')
    .filter((name) => isScope(name) && registeredScopes.has(name))
  return {
    ...actor,
    type: 'app',
    expires_at: timestampOf(exp * 1000),
    scopes: new Set(scopes.filter(isScope)),
  }
}

const accessTokenByHash = unscopedQuery((db, $: { hash: string }) =>
  db
    .selectFrom('oauth_records')
    .innerJoin('grants', 'grants.id', 'oauth_records.grant_id')
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
      'oauth_records.payload',
      'oauth_records.expires_at',
      ...ACTOR_COLUMNS,
    ])
    .where('oauth_records.kind', '=', 'AccessToken')
    .where('oauth_records.hash', '=', $.hash)
    .where(isApplicationUsableIn('grants.workspace_id'))
    .where('memberships.removed_at', 'is', null),
)
