import assert from 'node:assert/strict'
import type { Role } from '#wire/rights.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import type { TestDocket } from '../engines/test-docket.ts'
import type { TestWorkspace } from '../world/test-workspace.ts'
import {
  createOAuthClient,
  createTestApplication,
  parseTokenReply,
  type TokenReply,
} from './oauth-client.ts'

/** Issues an access token for the person with this role, for these scopes or for all. */
export type IssueAccessToken = (role: Role, scopes?: readonly Scope[]) => Promise<string>

/**
 * Registers an application to which each person grants all scopes once, through the consent page.
 * Tokens with fewer scopes are issued by refreshing.
 */
export async function createTokenIssuer(
  docket: TestDocket,
  team: TestWorkspace,
): Promise<IssueAccessToken> {
  const { tokensFor, refresh } = createOAuthClient(
    docket,
    team,
    await createTestApplication(docket, team),
  )
  const allowed = new Map<Role, TokenReply>()
  return async (role, scopes = SCOPES) => {
    const { refresh_token } =
      allowed.get(role) ?? (await tokensFor(role, { scope: SCOPES.join(' ') }))
    const reply = await refresh(refresh_token, { scope: scopes.join(' ') })
    assert.equal(reply.status, 200, reply.text)
    const tokens = parseTokenReply(reply)
    assert.equal(tokens.scope, scopes.toSorted().join(' '))
    allowed.set(role, tokens)
    return tokens.access_token
  }
}

/** Returns the workspace with access tokens of an application in place of API keys. */
export async function withAccessTokens(
  docket: TestDocket,
  team: TestWorkspace,
): Promise<TestWorkspace> {
  const tokenOf = await createTokenIssuer(docket, team)
  const keys = { ...team.keys }
  for (const role of ['owner', 'admin', 'member', 'guest'] as const)
    keys[role] = await tokenOf(role)
  return { ...team, keys }
}
