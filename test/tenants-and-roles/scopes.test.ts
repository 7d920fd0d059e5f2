import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '#core/route.ts'
import { publicRoutes as routes } from '#server/routes.ts'
import { SCOPE_BY_RECORD_TYPE, SCOPES, type Scope } from '#wire/scopes.ts'
import { endpointName } from '../support/api/endpoint-requests.ts'
import { ENGINES, openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { createTokenIssuer, type IssueAccessToken } from '../support/oauth/access-tokens.ts'
import { createScopedKey } from '../support/world/test-workspace.ts'
import {
  ALL_ROLES,
  callRouteForOutcome,
  createRoleWorkspace,
  expectedOutcome,
  getEndpointRights,
  type RoleWorkspace,
} from './roles.ts'

for (const engine of ENGINES) {
  test(`every route requires exactly its scope (${engine})`, async () => {
    const served = await openTestDocket(engine)
    const roleWorkspace = await createRoleWorkspace(served)
    const keyOf = cacheCredentials((role, scopes = SCOPES) =>
      createScopedKey(served.storage, roleWorkspace.team, role, scopes),
    )
    // An engine makes no difference to credentials.
    if (engine === 'sqlite')
      assert.deepEqual(await findScopeFaults(served.server, roleWorkspace, keyOf), [])
    const tokenOf = cacheCredentials(await createTokenIssuer(served, roleWorkspace.team))
    assert.deepEqual(await findScopeFaults(served.server, roleWorkspace, tokenOf), [])
    // A route compares scopes before it reads anything, so SQLite alone shows that no other scope
    // is enough. Which scopes show something in the feed of changes depends on its statements.
    const probed =
      engine === 'sqlite' ? routes : routes.filter(({ endpoint }) => endpoint.scope === 'any')
    assert.ok(probed.length > 0)
    assert.deepEqual(await findSingleScopeFaults(served.server, roleWorkspace, tokenOf, probed), [])
  })
}

/** Finds routes that accept a key without their scope, or refuse a key with only that scope. */
async function findScopeFaults(
  server: TestDocket['server'],
  roleWorkspace: RoleWorkspace,
  keyOf: IssueAccessToken,
  probedRoutes = routes,
): Promise<string[]> {
  const faults: string[] = []
  for (const route of probedRoutes) {
    const { endpoint } = route
    const { scope } = getEndpointRights(endpoint)
    if (scope === 'any') continue
    for (const role of ALL_ROLES) {
      const key = await keyOf(
        role,
        SCOPES.filter((one) => one !== scope),
      )
      const is = await callRouteForOutcome(server, route, roleWorkspace, key, 'open', 'owner')
      if (is !== '403 insufficient_scope')
        faults.push(`${endpointName(endpoint)} as ${role}: ${is}`)
    }
    const key = await keyOf('owner', [scope])
    const is = await callRouteForOutcome(server, route, roleWorkspace, key, 'open', 'owner')
    const required = expectedOutcome(endpoint, 'owner', 'open', 'owner')
    if (is !== required) faults.push(`${endpointName(endpoint)} with ${scope} alone: ${is}`)
  }
  return faults
}

/** Finds routes that accept a token with one other scope, or refuse one with their own scope. */
async function findSingleScopeFaults(
  server: TestDocket['server'],
  roleWorkspace: RoleWorkspace,
  tokenOf: IssueAccessToken,
  probedRoutes = routes,
): Promise<string[]> {
  const faults: string[] = []
  for (const scope of SCOPES) {
    const token = await tokenOf('owner', [scope])
    for (const route of probedRoutes) {
      const { scope: needed } = getEndpointRights(route.endpoint)
      const is = await callRouteForOutcome(server, route, roleWorkspace, token, 'open', 'owner')
      const isAllowed = needed === scope || (needed === 'any' && showsAnything(route, scope))
      const required = isAllowed
        ? expectedOutcome(route.endpoint, 'owner', 'open', 'owner')
        : '403 insufficient_scope'
      if (is !== required) faults.push(`${endpointName(route.endpoint)} with ${scope} alone: ${is}`)
    }
  }
  return faults
}

/** The feed of changes has the records whose scopes the credential has. */
const showsAnything = ({ kind }: Route, scope: Scope): boolean =>
  kind !== 'feed' || Object.values<Scope>(SCOPE_BY_RECORD_TYPE).includes(scope)

/** Issues each credential once. */
function cacheCredentials(createCredential: IssueAccessToken): IssueAccessToken {
  const cache = new Map<string, Promise<string>>()
  return (role, scopes = SCOPES) =>
    cache.getOrInsertComputed(`${role} ${scopes}`, () => createCredential(role, scopes))
}
