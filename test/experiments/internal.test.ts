import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#core/actor.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { doors, routes } from '../../src/app.ts'
import { docketOn, ENGINES, type Served, withoutWalls } from '../support/engines.ts'
import { sessionOf } from '../support/session.ts'
import { LINES, type Line, OPEN } from './internal.ts'
import { newWorld, ROLES, type World } from './internal-records.ts'
import { type Asking, call, outcomeOf } from './world/call.ts'
import { serverWith } from './world/doctored.ts'
import { nameOf } from './world/requests.ts'

const ENDPOINTS: readonly Endpoint[] = [...routes, ...doors]
  .map(({ endpoint }) => endpoint)
  .filter(({ path }) => path.startsWith('/internal/'))

/** A stream is never done answering: test/http/live.test.ts has its rights. */
const linesOf = (endpoint: Endpoint): readonly Line[] => {
  const name = nameOf(endpoint)
  if (OPEN.has(name) || endpoint.stream) return []
  return LINES[name] ?? assert.fail(`${name} is not in the table of test/experiments/internal.ts`)
}

/** The request of a line, about these ids. */
function askingOf(
  { method, path, body }: Endpoint,
  line: Line,
  ids: readonly string[],
  world: World,
): Asking {
  const given = typeof line.body === 'function' ? line.body(world) : (line.body ?? {})
  const left = [...ids]
  const url = path.replace(/:\w+/g, () => left.shift() ?? '') + (line.query ?? '')
  return { method, url, ...(body && { body: given }) }
}

async function outcome(
  { server, storage, config }: Served,
  world: World,
  endpoint: Endpoint,
  line: Line,
  role: Role,
): Promise<string> {
  const ids = (await line.ids?.(world, role)) ?? []
  const session = line.ends_session
    ? await sessionOf(storage, world.home, role, config.baseUrl)
    : world.sessions[role]
  const { headers } = session
  return outcomeOf(
    await call(server, undefined, { ...askingOf(endpoint, line, ids, world), headers }),
  )
}

/** Where a role fares otherwise than the table says. */
async function differing(served: Served, world: World): Promise<string[]> {
  const found: string[] = []
  for (const endpoint of ENDPOINTS) {
    for (const [at, line] of linesOf(endpoint).entries()) {
      for (const [index, role] of ROLES.entries()) {
        const is = await outcome(served, world, endpoint, line, role)
        const ought = line.ends[index]
        if (is !== ought) found.push(`${nameOf(endpoint)} (${at}) as ${role}: ${is}, not ${ought}`)
      }
    }
  }
  return found
}

for (const engine of ENGINES) {
  test(`every endpoint of the web app answers every role as it should (${engine})`, async () => {
    const served = await docketOn(engine)
    assert.deepEqual(await differing(served, await newWorld(served)), [])
  })

  test(`no endpoint of the web app takes a key, or asks less than a session (${engine})`, async () => {
    const served = await docketOn(engine)
    const { server } = served
    const world = await newWorld(served)
    const { cookie, origin } = world.sessions.owner.headers
    for (const endpoint of ENDPOINTS) {
      const [line = { ends: ['', '', '', ''] as const }] = LINES[nameOf(endpoint)] ?? []
      const asking = askingOf(endpoint, line, ['x', 'x'], world)
      const end = async (key: string | undefined, headers: Record<string, string>) =>
        outcomeOf(await call(server, key, { ...asking, headers }))
      const name = nameOf(endpoint)
      const keyed = await end(world.home.keys.owner, { cookie, origin })
      assert.equal(keyed, '403 session_required', name)
      const { headers } = await call(server, undefined, { ...asking, headers: { origin } })
      assert.equal(headers['access-control-allow-origin'], undefined, name)
      if (OPEN.has(name)) continue
      assert.equal(await end(undefined, { origin }), '401 authentication_required', name)
      const forged = { cookie: `${cookie.slice(0, -4)}AAAA`, origin }
      assert.equal(await end(undefined, forged), '401 authentication_required', name)
      if (endpoint.method === 'GET') continue
      for (const from of [{}, { origin: 'https://elsewhere.example' }, { origin: 'null' }]) {
        assert.equal(await end(undefined, { cookie, ...from }), '403 csrf_rejected', name)
      }
    }
  })

  test(`an id of another workspace is as unknown as one that nobody has (${engine})`, async () => {
    const served = await docketOn(engine, withoutWalls(engine))
    const [world, stranger] = [await newWorld(served), await newWorld(served)]
    let probes = 0
    for (const endpoint of ENDPOINTS.filter(({ path }) => path.includes('/:'))) {
      for (const line of linesOf(endpoint)) {
        const foreign = (await line.ids?.(stranger, 'owner')) ?? []
        const own = (await line.ids?.(world, 'owner')) ?? []
        for (const role of ROLES) {
          for (const at of own.keys()) {
            const end = async (id = '') => {
              const asking = askingOf(endpoint, line, own.with(at, id), world)
              const { headers } = world.sessions[role]
              const { status, text } = await call(served.server, undefined, { ...asking, headers })
              return `${status} ${text.replace(/"request_id":"\w+"/, '')}`
            }
            const unknown = `${foreign[at]?.slice(0, 4)}01k2m3n4p5q6r7s8t9v0w1x2y3`
            const is = await end(foreign[at])
            assert.match(is, /^40[34] /, `${nameOf(endpoint)} as ${role}`)
            assert.equal(is, await end(unknown), `${nameOf(endpoint)} as ${role}`)
            probes += 1
          }
        }
      }
    }
    assert.ok(probes > 80, `${probes}`)
  })
}

test('an endpoint that lets everybody in is found out', async () => {
  const served = await docketOn('sqlite')
  const server = await serverWith(served, {
    routes: routes.map((route) =>
      nameOf(route.endpoint) === 'GET /internal/workspace/usage'
        ? { ...route, subject: async () => undefined }
        : route,
    ),
  })
  const found = await differing({ ...served, server }, await newWorld(served))
  assert.deepEqual(
    found.filter((one) => one.includes('/usage')),
    ['member', 'guest'].map(
      (role) => `GET /internal/workspace/usage (0) as ${role}: 200, not 403 insufficient_role`,
    ),
  )
})

test('an endpoint that is in no table cannot be placed', () => {
  const [endpoint = assert.fail()] = ENDPOINTS
  assert.throws(() => linesOf({ ...endpoint, path: '/internal/unheard-of' }), /is not in the table/)
})
