import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY, type Role } from '#core/actor.ts'
import type { Route } from '#core/route.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { removeMember } from '#resources/members/membership.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import { published as routes } from '../../src/app.ts'
import { docketOn, ENGINES, type Served } from '../support/engines.ts'
import { newKeyOf } from '../support/home.ts'
import { expected, type House, lineOf, newHouse, PLACES, type Place, ROLES, sees } from './roles.ts'
import { call, made, outcomeOf } from './world/call.ts'
import { serverWith } from './world/doctored.ts'
import { askingOf, nameOf } from './world/requests.ts'

/** How a route ends for a key; where it can be, without doing anything. */
async function outcome(
  server: Served['server'],
  { endpoint }: Route,
  house: House,
  key: string,
  place: Place,
  author: Role,
): Promise<string> {
  const asking = askingOf(endpoint, house.records(place, author))
  const url = endpoint.dryRun ? `${asking.url}?dry_run=true` : asking.url
  const reply = await call(server, key, { ...asking, url })
  const isGone = endpoint.method === 'DELETE' && !endpoint.dryRun && reply.status === 204
  if (isGone) await renew(server, house, place, author)
  return outcomeOf(reply)
}

/** Only attachments cannot be deleted dry: another takes the place of the one that is gone. */
async function renew(server: Served['server'], house: House, place: Place, author: Role) {
  const records = house.records(place, author)
  const upload = routes.find((route) => nameOf(route.endpoint) === UPLOAD) ?? assert.fail()
  const asking = askingOf(upload.endpoint, records)
  records.attachments = (await made(server, house.home.keys[author], asking)).id
}

const UPLOAD = 'POST /api/v1/tasks/:id/attachments'

for (const engine of ENGINES) {
  test(`every route answers every role as the contract's table says (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const differing: string[] = []
    for (const route of routes) {
      for (const place of PLACES) {
        for (const author of ROLES.filter((role) => sees(role, place))) {
          for (const role of ROLES) {
            const key = house.home.keys[role]
            const is = await outcome(served.server, route, house, key, place, author)
            const ought = expected(route.endpoint, role, place, author)
            if (is === ought) continue
            const which = `${nameOf(route.endpoint)}, ${place}, ${role}, made by ${author}`
            differing.push(`${which}: ${is}, not ${ought}`)
          }
        }
      }
    }
    assert.deepEqual(differing, [])
  })

  test(`every route needs its scope, and only that (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    assert.deepEqual(await scopeFaults(served, served.server, house), [])
  })

  test(`a deletion that a reading key may do is found out (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const server = serverWith(served, {
      routes: routes.map((route) =>
        nameOf(route.endpoint) === 'DELETE /api/v1/tags/:id'
          ? { ...route, endpoint: { ...route.endpoint, scope: 'tags:read' as const } }
          : route,
      ),
    })
    const faults = await scopeFaults(served, server, house)
    assert.ok(faults.some((fault) => fault.startsWith('DELETE /api/v1/tags/:id')))
  })

  test(`a person who was removed can do nothing more, from the next second on (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const { home } = house
    const key = home.keys.member
    const me = { method: 'GET', url: '/api/v1/me' }
    assert.equal((await call(served.server, key, me)).status, 200)
    await served.storage.write({ ...NOBODY, workspace_id: home.workspace }, async (tx) => {
      await removeMember(tx, home.people.member)
      await advanceGeneration(tx)
    })
    await pause(1_000)
    for (const route of routes) {
      for (const place of PLACES) {
        const is = await outcome(served.server, route, house, key, place, 'owner')
        assert.equal(is, '401 invalid_token', nameOf(route.endpoint))
      }
    }
  })

  test(`deleting in bulk needs the scope and the right of deleting (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const bulk = (author: Role) => ({
      method: 'POST',
      url: '/api/v1/tasks/bulk?dry_run=true',
      body: { operations: [{ op: 'delete', id: house.records('open', author).tasks }] },
    })
    const without = SCOPES.filter((scope) => scope !== 'tasks:delete')
    const key = await newKeyOf(served.storage, house.home, 'owner', without)
    assert.equal(outcomeOf(await call(served.server, key, bulk('owner'))), '403 insufficient_scope')
    const { guest } = house.home.keys
    const others = await call(served.server, guest, bulk('owner'))
    assert.equal(outcomeOf(others), '403 insufficient_role')
    assert.equal(outcomeOf(await call(served.server, guest, bulk('guest'))), '200')
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

/** Where a key with all scopes but the needed one gets in, or one with only that does not. */
async function scopeFaults(
  { storage }: Served,
  server: Served['server'],
  house: House,
): Promise<string[]> {
  const keys = new Map<string, string>()
  const keyOf = async (role: Role, scopes: readonly Scope[]) => {
    const name = `${role} ${scopes}`
    const key = keys.get(name) ?? (await newKeyOf(storage, house.home, role, scopes))
    keys.set(name, key)
    return key
  }
  const faults: string[] = []
  for (const route of routes) {
    const { endpoint } = route
    const { scope } = lineOf(endpoint)
    if (scope === 'any') continue
    for (const role of ROLES) {
      const key = await keyOf(
        role,
        SCOPES.filter((one) => one !== scope),
      )
      const is = await outcome(server, route, house, key, 'open', 'owner')
      if (is !== '403 insufficient_scope') faults.push(`${nameOf(endpoint)} as ${role}: ${is}`)
    }
    const key = await keyOf('owner', [scope])
    const is = await outcome(server, route, house, key, 'open', 'owner')
    const ought = expected(endpoint, 'owner', 'open', 'owner')
    if (is !== ought) faults.push(`${nameOf(endpoint)} with ${scope} alone: ${is}`)
  }
  return faults
}
