import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { AUTH_CACHE_TTL_MS } from '#auth/authenticator.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Route } from '#core/route.ts'
import { removeMember } from '#resources/members/membership.ts'
import { publicRoutes as routes } from '#server/routes.ts'
import { type ApiReply, callApi, summarizeReply } from '../support/api/call-api.ts'
import { toComparableReply } from '../support/api/comparable-reply.ts'
import { endpointName } from '../support/api/endpoint-requests.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { withAccessTokens } from '../support/oauth/access-tokens.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import {
  ALL_ROLES,
  callRoute,
  callRouteForOutcome,
  createRoleWorkspace,
  expectedOutcome,
  listRecordCases,
} from './roles.ts'

/** The part of a reply that must be the same for a key and a token; for writes, the outcome. */
function comparablePart({ endpoint }: Route, reply: ApiReply): string {
  if (endpoint.method !== 'GET' && reply.status < 400) return summarizeReply(reply)
  return toComparableReply({ ...reply, text: reply.text.replace(/"credential":\{[^}]*\}/, '') })
}

for (const engine of ENGINES) {
  test(`every route answers every role as specified, for keys and tokens alike (${engine})`, async () => {
    const served = await openTestDocket(engine)
    const roleWorkspace = await createRoleWorkspace(served)
    const tokens = (await withAccessTokens(served, roleWorkspace.team)).keys
    const differences: string[] = []
    for (const route of routes) {
      for (const { place, author } of listRecordCases(route, roleWorkspace)) {
        for (const role of ALL_ROLES) {
          const ask = (key: string) =>
            callRoute(served.server, route, roleWorkspace, key, place, author)
          const keyReply = await ask(roleWorkspace.team.keys[role])
          const required = expectedOutcome(route.endpoint, role, place, author)
          const label = `${endpointName(route.endpoint)}, ${place}, ${role}, made by ${author}`
          if (summarizeReply(keyReply) !== required)
            differences.push(`${label}: ${summarizeReply(keyReply)}, not ${required}`)
          // An engine makes no difference to credentials.
          if (engine !== 'sqlite') continue
          // A token acts as its user, to whom a record is their own or of another person.
          if (author !== role && author !== (role === 'owner' ? 'admin' : 'owner')) continue
          const [byKey, byToken] = [keyReply, await ask(tokens[role])].map((one) =>
            comparablePart(route, one),
          )
          if (byKey !== byToken) differences.push(`${label}: ${byKey}, by token ${byToken}`)
        }
      }
    }
    assert.deepEqual(differences, [])
  })
}

test('caches authentication for less than the second that the specification allows', () => {
  assert.ok(AUTH_CACHE_TTL_MS < 1_000)
})

test('a removed member has no access to any route', async () => {
  const served = await openTestDocket('sqlite')
  const roleWorkspace = await createRoleWorkspace(served)
  const { team } = roleWorkspace
  const both = [team.keys.member, (await withAccessTokens(served, team)).keys.member]
  const me = { method: 'GET', url: '/api/v1/me' }
  for (const key of both) assert.equal((await callApi(served.server, key, me)).status, 200)
  await served.storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, async (tx) => {
    await removeMember(tx, team.people.member)
    await bumpAuthVersion(tx)
  })
  // A change of another process takes effect within a second (docs/spec/api.md#authentication-and-authorization).
  await waitUntil(
    'the end',
    async () => (await callApi(served.server, team.keys.member, me)).status === 401,
  )
  for (const route of routes) {
    const cases = listRecordCases(route, roleWorkspace)
    for (const { place } of cases.filter(({ author }) => author === 'owner')) {
      for (const key of both) {
        const is = await callRouteForOutcome(
          served.server,
          route,
          roleWorkspace,
          key,
          place,
          'owner',
        )
        assert.equal(is, '401 invalid_token', endpointName(route.endpoint))
      }
    }
  }
})
