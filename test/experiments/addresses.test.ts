import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shadowed } from '#http/unrouted.ts'
import { docketOn, ENGINES, type Served } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { sessionOf } from '../support/session.ts'
import { LINES } from './internal.ts'
import { newWorld, ROLES } from './internal-records.ts'
import { all, FOREIGN, watched } from './sessions.ts'

/** What takes more than a look, and is neither a route nor a door: no cookie counts for it. */
const WITHOUT_COOKIE = [
  'POST /oauth/register',
  'POST /oauth/token',
  'POST /oauth/revoke',
  'POST /oauth/introspect',
  'POST /unsubscribe/:token',
]
const REGISTRATION = { DOCKET_OAUTH_REGISTRATION: '1' }

/** Every address that a server answers, with its methods, as its router knows them. */
function addressesOf({ printRoutes }: Pick<Served['server'], 'printRoutes'>): string[] {
  const above: string[] = []
  return printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const found = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line)
      if (!found) return []
      const [, indent = '', part = '', methods = ''] = found
      const depth = indent.length / 4
      above[depth] = (above[depth - 1] ?? '') + part
      return methods.split(', ').map((method) => `${method} ${above[depth]}`)
    })
}

/** Those that are in no table of routes or doors. */
function beside(server: Served['server']): string[] {
  const tabled = new Set(all.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`))
  for (const { method, url } of shadowed(all)) tabled.add(`${method} ${url}`)
  const known = (one: string) => tabled.has(one) || tabled.has(one.replace(/^HEAD /, 'GET '))
  const addresses = addressesOf(server)
  assert.ok(addresses.length > tabled.size, 'the router tells of more than the tables')
  for (const one of tabled) assert.ok(addresses.includes(one), `${one} is not served`)
  return addresses.filter((one) => !known(one))
}

const isLook = (address: string) => /^(GET|HEAD) /.test(address)

for (const engine of ENGINES) {
  test(`what is in no table takes no cookie for more than a look (${engine})`, async () => {
    const served = await docketOn(engine, REGISTRATION)
    const home = await newHome(served.storage)
    const { cookie } = (await sessionOf(served.storage, home, 'owner')).headers
    const { server, seen } = await watched(served)
    const others = beside(server)
    assert.deepEqual(others.filter((one) => !isLook(one)).toSorted(), WITHOUT_COOKIE.toSorted())
    for (const address of others) {
      const [method = '', path = ''] = address.split(' ')
      const ask = async (headers: Record<string, string>) => {
        const url = path.replaceAll(/:\w+|\*/g, 'x')
        const { statusCode, body } = await server.inject({
          ...{ method: method as 'GET', url, headers },
          ...(!isLook(address) && { payload: '{}' }),
        })
        return `${statusCode} ${body.replace(/"request_id":"\w+"/, '')}`
      }
      const before = seen.changes
      for (const from of FOREIGN) {
        const is = await ask({ ...from, cookie })
        if (!isLook(address)) assert.equal(is, await ask(from), address)
      }
      assert.equal(seen.changes, before, `${address} changes nothing`)
    }
    await server.close()
  })

  test(`nothing that is looked at is changed by it, whoever looks (${engine})`, async () => {
    const served = await docketOn(engine)
    const world = await newWorld(served)
    const { server, seen } = await watched(served)
    let looks = 0
    for (const [name, lines] of Object.entries(LINES)) {
      const [method, path = ''] = name.split(' ')
      if (method !== 'GET') continue
      for (const line of lines) {
        for (const role of ROLES) {
          const left = [...((await line.ids?.(world, role)) ?? [])]
          const url = path.replace(/:\w+/g, () => left.shift() ?? '') + (line.query ?? '')
          const before = seen.changes
          await server.inject({ url, headers: world.sessions[role].headers })
          assert.equal(seen.changes, before, `${name} as ${role}`)
          looks += 1
        }
      }
    }
    assert.ok(looks > 100, `${looks}`)
    await server.close()
  })
}

test('an address that nobody has placed, and a look that changes something, are found out', async () => {
  const served = await docketOn('sqlite')
  const { server, seen } = await watched(served)
  server.post('/internal/unheard-of', (_, reply) => reply.send())
  assert.ok(beside(server).includes('POST /internal/unheard-of'))
  const home = await newHome(served.storage)
  const { headers } = await sessionOf(served.storage, home, 'owner')
  const before = seen.changes
  await server.inject({ method: 'DELETE', url: '/internal/session', headers })
  assert.notEqual(seen.changes, before)
  await server.close()
})
