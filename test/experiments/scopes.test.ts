import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#core/actor.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import { published as routes } from '../../src/app.ts'
import { docketOn, ENGINES, type Served } from '../support/engines.ts'
import { newKeyOf } from '../support/home.ts'
import { type TokenOf, tokensOf } from '../support/tokens.ts'
import { expected, type House, lineOf, newHouse, outcome, ROLES } from './roles.ts'
import { call, outcomeOf } from './world/call.ts'
import { serverWith } from './world/doctored.ts'
import { nameOf } from './world/requests.ts'

for (const engine of ENGINES) {
  test(`every route needs its scope, and only that (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const keyOf: TokenOf = (role, scopes = SCOPES) =>
      newKeyOf(served.storage, house.home, role, scopes)
    assert.deepEqual(await scopeFaults(served.server, house, keyOf), [])
    const tokenOf = await tokensOf(served, house.home)
    assert.deepEqual(await scopeFaults(served.server, house, tokenOf), [])
    assert.deepEqual(await singleScopeFaults(served.server, house, tokenOf), [])
  })

  test(`a deletion that a reading key may do is found out (${engine})`, async () => {
    const served = await docketOn(engine)
    const house = await newHouse(served)
    const server = await serverWith(served, {
      routes: routes.map((route) =>
        nameOf(route.endpoint) === 'DELETE /api/v1/tags/:id'
          ? { ...route, endpoint: { ...route.endpoint, scope: 'tags:read' as const } }
          : route,
      ),
    })
    const tokenOf = await tokensOf(served, house.home)
    const faults = [
      ...(await scopeFaults(server, house, tokenOf)),
      ...(await singleScopeFaults(server, house, tokenOf)),
    ]
    const found = faults.filter((fault) => fault.startsWith('DELETE /api/v1/tags/:id'))
    assert.equal(found.length, 7)
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
}

/** Where a key with all scopes but the needed one gets in, or one with only that does not. */
async function scopeFaults(
  server: Served['server'],
  house: House,
  newOf: TokenOf,
): Promise<string[]> {
  const keyOf = remembering(newOf)
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

/** Where a token with one scope alone gets in that is not the needed one, or does not with the needed one. */
async function singleScopeFaults(
  server: Served['server'],
  house: House,
  tokenOf: TokenOf,
): Promise<string[]> {
  const faults: string[] = []
  for (const scope of SCOPES) {
    const token = await tokenOf('owner', [scope])
    for (const route of routes) {
      const { scope: needed } = lineOf(route.endpoint)
      const is = await outcome(server, route, house, token, 'open', 'owner')
      const isAllowed = needed === 'any' || needed === scope
      const ought = isAllowed
        ? expected(route.endpoint, 'owner', 'open', 'owner')
        : '403 insufficient_scope'
      if (is !== ought) faults.push(`${nameOf(route.endpoint)} with ${scope} alone: ${is}`)
    }
  }
  return faults
}

function remembering(newOf: TokenOf) {
  const known = new Map<string, string>()
  return async (role: Role, scopes: readonly Scope[]) => {
    const name = `${role} ${scopes}`
    const key = known.get(name) ?? (await newOf(role, scopes))
    known.set(name, key)
    return key
  }
}
