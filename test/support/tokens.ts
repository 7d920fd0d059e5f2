import assert from 'node:assert/strict'
import type { Role } from '#core/actor.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import type { Served } from './engines.ts'
import type { Home } from './home.ts'
import { client, newApp, type Tokens } from './oauth.ts'

/** Gives an access token of a person, for these scopes only; without them for all. */
export type TokenOf = (role: Role, scopes?: readonly Scope[]) => Promise<string>

/**
 * An application that people of a home have allowed everything, each once, in the way that people do;
 * tokens for less come by refreshing.
 */
export async function tokensOf(docket: Served, home: Home): Promise<TokenOf> {
  const { tokensFor, refresh } = client(docket, home, await newApp(docket, home))
  const allowed = new Map<Role, Tokens>()
  return async (role, scopes = SCOPES) => {
    const { refresh_token } =
      allowed.get(role) ?? (await tokensFor(role, { scope: SCOPES.join(' ') }))
    const said = await refresh(refresh_token, { scope: scopes.join(' ') })
    assert.equal(said.status, 200, said.text)
    const tokens = said.body as unknown as Tokens
    assert.equal(tokens.scope, scopes.toSorted().join(' '))
    allowed.set(role, tokens)
    return tokens.access_token
  }
}

/** The same home, whose people ask with access tokens of an application instead of keys. */
export async function byTokens(docket: Served, home: Home): Promise<Home> {
  const tokenOf = await tokensOf(docket, home)
  const keys = { ...home.keys }
  for (const role of ['owner', 'admin', 'member', 'guest'] as const)
    keys[role] = await tokenOf(role)
  return { ...home, keys }
}
