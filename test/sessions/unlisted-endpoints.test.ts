import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findShadowedMethods } from '#http/pipeline/fallback-handler.ts'
import { openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { INTERNAL_ENDPOINT_CASES } from '../tenants-and-roles/internal-endpoints.ts'
import { createSignedInWorkspace } from '../tenants-and-roles/internal-records.ts'
import { ALL_ROLES } from '../tenants-and-roles/roles.ts'
import {
  ALL_ENDPOINTS,
  CROSS_ORIGIN_HEADERS,
  createChangeCountingServer,
} from './forged-requests.ts'

/** Write endpoints outside the tables of routes and session actions. They ignore cookies. */
const COOKIELESS_WRITES = [
  'POST /oauth/register',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'POST /oauth/introspect',
  'POST /unsubscribe/:token',
]
const WITH_REGISTRATION = { DOCKET_OAUTH_REGISTRATION: '1' }

/** Lists every method and path that the router of a server knows. */
function listRouterPaths({ printRoutes }: Pick<TestDocket['server'], 'printRoutes'>): string[] {
  const parents: string[] = []
  return printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const found = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line)
      if (!found) return []
      const [, indent = '', part = '', methods = ''] = found
      const depth = indent.length / 4
      parents[depth] = (parents[depth - 1] ?? '') + part
      return methods.split(', ').map((method) => `${method} ${parents[depth]}`)
    })
}

/** Lists those that are in no table of routes or session actions. */
function listUnlisted(server: TestDocket['server']): string[] {
  const tabled = new Set(ALL_ENDPOINTS.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`))
  for (const { method, url } of findShadowedMethods(ALL_ENDPOINTS)) tabled.add(`${method} ${url}`)
  const isListed = (one: string) => tabled.has(one) || tabled.has(one.replace(/^HEAD /, 'GET '))
  const addresses = listRouterPaths(server)
  assert.ok(addresses.length > tabled.size, 'the router tells of more than the tables')
  for (const one of tabled) assert.ok(addresses.includes(one), `${one} is not served`)
  return addresses.filter((one) => !isListed(one))
}

const isRead = (address: string) => /^(GET|HEAD) /.test(address)

test('endpoints outside the tables change nothing by cookie', async () => {
  const served = await openTestDocket('sqlite', WITH_REGISTRATION)
  const team = await createTestWorkspace(served.storage)
  const { cookie } = (await createTestSession(served.storage, team, 'owner')).headers
  const { server, seen } = await createChangeCountingServer(served)
  const others = listUnlisted(server)
  assert.deepEqual(others.filter((one) => !isRead(one)).toSorted(), COOKIELESS_WRITES.toSorted())
  for (const address of others) {
    const [method = '', path = ''] = address.split(' ')
    const ask = async (headers: Record<string, string>) => {
      const url = path.replaceAll(/:\w+|\*/g, 'x')
      const { statusCode, body } = await server.inject({
        method: method as 'GET',
        url,
        headers,
        ...(!isRead(address) && { payload: '{}' }),
      })
      return `${statusCode} ${body.replace(/"request_id":"\w+"/, '')}`
    }
    const before = seen.changes
    for (const from of CROSS_ORIGIN_HEADERS) {
      const is = await ask({ ...from, cookie })
      if (!isRead(address)) assert.equal(is, await ask(from), address)
    }
    assert.equal(seen.changes, before, `${address} changes nothing`)
  }
  await server.close()
})

test('GET requests change nothing, for any role', async () => {
  const served = await openTestDocket('sqlite')
  const world = await createSignedInWorkspace(served)
  const { server, seen } = await createChangeCountingServer(served)
  let reads = 0
  for (const [name, lines] of Object.entries(INTERNAL_ENDPOINT_CASES)) {
    const [method, path = ''] = name.split(' ')
    if (method !== 'GET') continue
    for (const line of lines) {
      for (const role of ALL_ROLES) {
        const remainingIds = [...((await line.ids?.(world, role)) ?? [])]
        const url = path.replace(/:\w+/g, () => remainingIds.shift() ?? '') + (line.query ?? '')
        const before = seen.changes
        await server.inject({ url, headers: world.sessions[role].headers })
        assert.equal(seen.changes, before, `${name} as ${role}`)
        reads += 1
      }
    }
  }
  assert.ok(reads > 100, `${reads}`)
  await server.close()
})
