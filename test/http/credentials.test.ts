import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { createKey } from '#identity/new-key.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { exchange, portOf } from '../support/socket.ts'

test('a challenge tells what was wrong with the credential', async () => {
  const { storage, server } = await docketOn('sqlite')
  const { keys } = await newHome(storage)
  const metadata = 'resource_metadata="http://127.0.0.1:4000/.well-known/oauth-protected-resource"'
  const wrong = keys.owner.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  const cases: [string | undefined, string, RegExp][] = [
    [undefined, 'authentication_required', /"$/],
    ['Basic eDp5', 'authentication_required', /"$/],
    ['Bearer', 'authentication_required', /"$/],
    [`Bearer ${wrong}`, 'invalid_token', /, error="invalid_token", error_description="[^"]+"$/],
    ['Bearer dkt_x', 'invalid_token', /, error="invalid_token", error_description="[^"]+"$/],
  ]
  for (const [authorization, code, end] of cases) {
    const headers = authorization === undefined ? {} : { authorization }
    const reply = await server.inject({ url: '/api/v1/projects', headers })
    assert.equal(reply.statusCode, 401, `${authorization}`)
    assert.equal(reply.json().error.code, code, `${authorization}`)
    const challenge = String(reply.headers['www-authenticate'])
    assert.ok(challenge.startsWith(`Bearer realm="docket", ${metadata}`), challenge)
    assert.match(challenge.slice(`Bearer realm="docket", ${metadata}`.length - 1), end)
    assert.equal(reply.headers['x-ratelimit-limit'], undefined)
  }
})

for (const engine of ENGINES) {
  test(`a key that has expired is told so, from one request to the next (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const { workspace, people, keys } = await newHome(storage)
    const expires_at = new Date(Date.now() + 1_500).toISOString()
    const wanted = {
      user_id: people.owner,
      name: 'short',
      scopes: ['tasks:read'],
      expires_at,
    } as const
    const { api_key } = await storage.write({ ...NOBODY, workspace_id: workspace }, (tx) =>
      createKey(tx, wanted),
    )
    const ask = async (credential: string, more = {}) => {
      const headers = { authorization: `Bearer ${credential}`, ...more }
      const reply = await server.inject({ url: '/api/v1/me', headers })
      return [reply.statusCode, reply.json().error?.code]
    }
    assert.deepEqual(await ask(api_key), [200, undefined])
    await new Promise((resolve) => setTimeout(resolve, Date.parse(expires_at) - Date.now() + 1))
    assert.deepEqual(await ask(api_key), [401, 'token_expired'])
    const unknown = `dkt_0123456789ABCDEFGHIJKLMNOPQRSTUV2Va8Dp`
    assert.deepEqual(await ask(unknown), [401, 'invalid_token'])
    assert.deepEqual(await ask(unknown, { cookie: `docket_session=${keys.owner}` }), [
      401,
      'invalid_token',
    ])
  })
}

test('a credential sent twice is refused, and one in the address is none', async () => {
  const { storage, server } = await docketOn('sqlite')
  const { keys } = await newHome(storage)
  const port = await portOf(server)
  const key = `Authorization: Bearer ${keys.owner}\r\n`
  const get = (target: string, headers: string) =>
    exchange(port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`)
  const twice = await get('/api/v1/projects', key + key)
  assert.equal(twice.replies[0]?.status, 400)
  assert.equal(JSON.parse(twice.replies[0]?.body ?? '').error.code, 'invalid_header')
  const inQuery = await get(`/api/v1/projects?access_token=${keys.owner}`, '')
  assert.equal(inQuery.replies[0]?.status, 401)
  const inBody = await server.inject({
    method: 'POST',
    url: '/api/v1/tasks',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ access_token: keys.owner, authorization: `Bearer ${keys.owner}` }),
  })
  assert.equal(inBody.statusCode, 401)
  const inLowerCase = await get('/api/v1/projects', `authorization: bearer ${keys.owner}\r\n`)
  assert.equal(inLowerCase.replies[0]?.status, 200)
})

test('an address that fails too often is 429, and a valid key from it is served', async () => {
  const { storage, server } = await docketOn('sqlite', { DOCKET_UNAUTHENTICATED_LIMIT: '3' })
  const { keys } = await newHome(storage)
  const fail = (remoteAddress: string) =>
    server.inject({
      url: '/api/v1/projects',
      remoteAddress,
      headers: { authorization: 'Bearer x' },
    })
  // The minute may end in between: then the budget is new, and the same holds within the next.
  const statuses = async (addresses: string[]) => {
    const minute = Math.floor(Date.now() / 60_000)
    const replies = []
    for (const address of addresses) replies.push(await fail(address))
    return Math.floor(Date.now() / 60_000) === minute ? replies : undefined
  }
  const four = (addresses: string[]) =>
    statuses(addresses).then((one) => one ?? statuses(addresses))
  const replies = (await four(['192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1'])) ?? []
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [401, 401, 401, 429],
  )
  const last = replies.at(-1)
  assert.equal(last?.json().error.code, 'too_many_unauthenticated_requests')
  assert.match(String(last?.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
  assert.equal(last?.headers['x-ratelimit-limit'], undefined)
  const ours = await server.inject({
    url: '/api/v1/projects',
    remoteAddress: '192.0.2.1',
    headers: { authorization: `Bearer ${keys.owner}` },
  })
  assert.equal(ours.statusCode, 200)
  const sixes = ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::', '2001:db8:0:0:ffff::1']
  const six = (await four([...sixes, '2001:db8:0:1::1'])) ?? []
  assert.deepEqual(
    six.map(({ statusCode }) => statusCode),
    [401, 401, 401, 429, 401],
  )
})
