import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { routes, sessionActions } from '#server/routes.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

test('WWW-Authenticate names what is wrong with the credential', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const { keys } = await createTestWorkspace(storage)
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
  test(`an API key that expires between two requests gets token_expired (${engine})`, async (t) => {
    const { storage, server } = await openTestDocket(engine)
    const { workspace, people, keys } = await createTestWorkspace(storage)
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const keyOptions = {
      user_id: people.owner,
      name: 'short',
      scopes: ['tasks:read'],
      expires_at,
    } as const
    const { api_key } = await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, (tx) =>
      createApiKey(tx, keyOptions),
    )
    const ask = async (credential: string, more = {}) => {
      const headers = { authorization: `Bearer ${credential}`, ...more }
      const reply = await server.inject({ url: '/api/v1/me', headers })
      return [reply.statusCode, reply.json().error?.code]
    }
    assert.deepEqual(await ask(api_key), [200, undefined])
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse(expires_at) + 1 })
    assert.deepEqual(await ask(api_key), [401, 'token_expired'])
    const unknown = `dkt_0123456789ABCDEFGHIJKLMNOPQRSTUV2Va8Dp`
    assert.deepEqual(await ask(unknown), [401, 'invalid_token'])
    assert.deepEqual(await ask(unknown, { cookie: `docket_session=${keys.owner}` }), [
      401,
      'invalid_token',
    ])
  })
}

test('rejects a duplicate Authorization header and ignores credentials in query and body', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const { keys } = await createTestWorkspace(storage)
  const port = await listenOnPort(server)
  const key = `Authorization: Bearer ${keys.owner}\r\n`
  const get = (target: string, headers: string) =>
    exchangeRaw(port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`)
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

test('limits failed authentication per address with 429, while valid keys are served', async () => {
  const options = { clock: createTestClock(), unauthenticatedLimit: 3 }
  const { storage, server } = await openTestDocket('sqlite', {}, options)
  const { keys } = await createTestWorkspace(storage)
  const fail = (remoteAddress: string) =>
    server.inject({
      url: '/api/v1/projects',
      remoteAddress,
      headers: { authorization: 'Bearer x' },
    })
  const failInTurn = async (addresses: string[]) => {
    const replies = []
    for (const address of addresses) replies.push(await fail(address))
    return replies
  }
  const replies = await failInTurn(['192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1'])
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [401, 401, 401, 429],
  )
  const last = replies.at(-1)
  assert.equal(last?.json().error.code, 'too_many_unauthenticated_requests')
  assert.match(String(last?.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
  assert.equal(last?.headers['x-ratelimit-limit'], undefined)
  const validReply = await server.inject({
    url: '/api/v1/projects',
    remoteAddress: '192.0.2.1',
    headers: { authorization: `Bearer ${keys.owner}` },
  })
  assert.equal(validReply.statusCode, 200)
  const ipv6Addresses = ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::', '2001:db8:0:0:ffff::1']
  const ipv6Replies = await failInTurn([...ipv6Addresses, '2001:db8:0:1::1'])
  assert.deepEqual(
    ipv6Replies.map(({ statusCode }) => statusCode),
    [401, 401, 401, 429, 401],
  )
})

const clock = createTestClock()

/** Sends a bad credential for each X-Forwarded-For value and returns the statuses. */
async function statusesOf(proxies: number, forwarded: readonly (string | undefined)[]) {
  const env = { DOCKET_TRUST_PROXY: String(proxies) }
  const { server } = await openTestDocket('sqlite', env, { clock, unauthenticatedLimit: 2 })
  const statuses: number[] = []
  for (const list of forwarded) {
    const headers = { authorization: 'Bearer x', ...(list && { 'x-forwarded-for': list }) }
    const { statusCode } = await server.inject({
      url: '/api/v1/projects',
      remoteAddress: '192.0.2.1',
      headers,
    })
    statuses.push(statusCode)
  }
  return statuses
}

test('behind one proxy, the last X-Forwarded-For address is the client', async () => {
  const spoofed = ['10.9.9.1, 203.0.113.5', '10.9.9.2, 203.0.113.5', '10.9.9.3, 203.0.113.5']
  assert.deepEqual(await statusesOf(1, spoofed), [401, 401, 429])
  assert.deepEqual(await statusesOf(1, ['10.9.9.3, 203.0.113.6']), [401])
})

const LIMIT = 3
const ENV = { DOCKET_OAUTH_REGISTRATION: '1' }
const MAX_BYTES = 16_384
const ORIGIN = 'http://127.0.0.1:4000'
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

interface AddressToTest {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  type: string
  isOpen: boolean
}

/** Every address that reads a body, also those that are no endpoint values. */
const ADDRESSES: AddressToTest[] = [
  ...[...routes, ...sessionActions].flatMap(({ endpoint }) =>
    endpoint.method === 'GET' || !endpoint.body
      ? []
      : {
          method: endpoint.method,
          url: endpoint.path.replaceAll(/:\w+/g, 'x'),
          type: JSON_TYPE,
          isOpen: endpoint.scope === 'open',
        },
  ),
  ...['/oauth/token', '/oauth/revoke', '/oauth/introspect', '/unsubscribe/x'].map((url) => ({
    method: 'POST' as const,
    url,
    type: FORM_TYPE,
    isOpen: true,
  })),
  { method: 'POST', url: '/oauth/register', type: JSON_TYPE, isOpen: true },
]

/** A function that sends a body to an address without a credential. */
async function openAnonymousClient() {
  const { server } = await openTestDocket('sqlite', ENV, {
    clock: createTestClock(),
    unauthenticatedLimit: LIMIT,
  })
  return async (
    { method, url, type }: AddressToTest,
    payload: string | Readable,
    remoteAddress = newClientAddress(),
  ): Promise<number> => {
    const headers = {
      origin: ORIGIN,
      'content-type': type,
      ...(typeof payload !== 'string' && { 'transfer-encoding': 'chunked' }),
    }
    return (await server.inject({ method, url, headers, payload, remoteAddress })).statusCode
  }
}

test('reads at most 16 KiB of a body from anybody, at every address', async () => {
  const send = await openAnonymousClient()
  for (const address of ADDRESSES) {
    const { method, url, isOpen } = address
    const tooLong = 'x'.repeat(MAX_BYTES + 1)
    const expected = isOpen ? 413 : 401
    assert.equal(await send(address, tooLong), expected, `${method} ${url}`)
    // Without a Content-Length, the bytes are counted as they arrive.
    assert.equal(
      await send(address, Readable.from([tooLong])),
      expected,
      `${method} ${url} chunked`,
    )
    if (isOpen) assert.notEqual(await send(address, `{}${' '.repeat(MAX_BYTES - 2)}`), 413, url)
  }
})

test('counts malformed requests to open addresses against the limit of the client address', async () => {
  const send = await openAnonymousClient()
  for (const address of ADDRESSES.filter(({ isOpen }) => isOpen)) {
    const client = newClientAddress()
    const tooLong = 'x'.repeat(MAX_BYTES + 1)
    const statuses: number[] = []
    for (const body of [tooLong, address.type === JSON_TYPE ? '{' : tooLong, tooLong, tooLong])
      statuses.push(await send(address, body, client))
    const second = address.type === JSON_TYPE ? 400 : 413
    assert.deepEqual(statuses, [413, second, 413, 429], `${address.method} ${address.url}`)
  }
})
