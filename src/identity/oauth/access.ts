import type { Actor } from '#core/actor.ts'
import type { ReadTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { isToken } from '#lib/token.ts'
import { queryOfAll } from '#storage/statement.ts'
import { isScope } from '#wire/scopes.ts'
import { ACTOR_COLUMNS } from '../actor-columns.ts'
import { hashOfValue } from './records.ts'
import { usableIn } from './usable.ts'

/** Has the text the form of such a token? Says nothing of whether it was issued. */
export const isAccessToken = (text: string): boolean => isToken('dat_', text)

export const isRefreshToken = (text: string): boolean => isToken('drt_', text)

/**
 * The actor of an access token; none if it is unknown, or if its grant, its application or the
 * membership of its person has ended. It may do what the token, the application and the role all
 * allow, each as it is now (contract 4).
 */
export async function actorOfToken(tx: ReadTx, token: string): Promise<Actor | undefined> {
  const found = await tx.one(accessTokenByHash, { hash: hashOfValue(token) })
  if (!found) return undefined
  const { payload, expires_at, application_scopes, ...who } = found
  const { exp, scope } = JSON.parse(payload) as { exp: number; scope?: string }
  const registered = new Set(JSON.parse(application_scopes) as string[])
  const scopes = (scope ?? '').split(' ').filter((name) => isScope(name) && registered.has(name))
  return {
    ...who,
    type: 'app',
    expires_at: timestampOf(exp * 1000),
    scopes: new Set(scopes.filter(isScope)),
  }
}

const accessTokenByHash = queryOfAll((db, $: { hash: string }) =>
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
    .where(usableIn('grants.workspace_id'))
    .where('memberships.removed_at', 'is', null),
)
