import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Route } from '#core/route.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { removeMember } from '#resources/members/membership.ts'
import { published as routes } from '../../src/app.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { byTokens } from '../support/tokens.ts'
import { until } from '../support/until.ts'
import { answer, expected, lineOf, newHouse, outcome, PLACES, ROLES, sees } from './roles.ts'
import { call, outcomeOf, type Replied } from './world/call.ts'
import { essenceOf } from './world/essence.ts'
import { nameOf } from './world/requests.ts'

/** What of a reply must be the same for a key and a token: of what was changed twice, how it ended. */
function kept({ endpoint }: Route, reply: Replied): string {
  if (endpoint.method !== 'GET' && reply.status < 400) return outcomeOf(reply)
  return essenceOf({ ...reply, text: reply.text.replace(/"credential":\{[^}]*\}/, '') })
}

for (const engine of ENGINES) {
  test(`every route answers every role as the contract's table says, key and token alike (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const tokens = (await byTokens(served, house.home)).keys
    const differing: string[] = []
    for (const route of routes) {
      for (const place of PLACES) {
        for (const author of ROLES.filter((role) => sees(role, place))) {
          for (const role of ROLES) {
            const ask = (key: string) => answer(served.server, route, house, key, place, author)
            const [is, alike] = [await ask(house.home.keys[role]), await ask(tokens[role])]
            const ought = expected(route.endpoint, role, place, author)
            const which = `${nameOf(route.endpoint)}, ${place}, ${role}, made by ${author}`
            if (outcomeOf(is) !== ought) differing.push(`${which}: ${outcomeOf(is)}, not ${ought}`)
            const [told, toldByToken] = [is, alike].map((one) => kept(route, one))
            if (told !== toldByToken) differing.push(`${which}: ${told}, by token ${toldByToken}`)
          }
        }
      }
    }
    assert.deepEqual(differing, [])
  })

  test(`a person who was removed can do nothing more (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const { home } = house
    const both = [home.keys.member, (await byTokens(served, home)).keys.member]
    const me = { method: 'GET', url: '/api/v1/me' }
    for (const key of both) assert.equal((await call(served.server, key, me)).status, 200)
    await served.storage.write({ ...NOBODY, workspace_id: home.workspace }, async (tx) => {
      await removeMember(tx, home.people.member)
      await advanceGeneration(tx)
    })
    // What another process changed is seen after that (contract 4).
    await until(
      'the end',
      async () => (await call(served.server, home.keys.member, me)).status === 401,
    )
    for (const route of routes) {
      for (const place of PLACES) {
        for (const key of both) {
          const is = await outcome(served.server, route, house, key, place, 'owner')
          assert.equal(is, '401 invalid_token', nameOf(route.endpoint))
        }
      }
    }
  })

  test(`time of others is logged by owners and admins only (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const { home, records } = house
    for (const role of ROLES) {
      const { status } = await call(served.server, home.keys[role], {
        method: 'POST',
        url: `/api/v1/tasks/${records('open', role).tasks}/time-entries?dry_run=true`,
        body: { duration_seconds: 60, user_id: home.people[role === 'guest' ? 'owner' : 'guest'] },
      })
      assert.equal(status, role === 'owner' || role === 'admin' ? 201 : 403, role)
    }
  })
}

test('a route that the contract does not list cannot be placed', () => {
  const endpoint = { ...(routes[0] as Route).endpoint, path: '/api/v1/unheard-of' } as const
  assert.throws(() => lineOf(endpoint), /unheard-of is not in the table/)
})
