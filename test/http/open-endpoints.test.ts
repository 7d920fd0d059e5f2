import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { routes, sessionActions } from '#server/app.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'

const LIMIT = 3
const ENV = { DOCKET_UNAUTHENTICATED_LIMIT: String(LIMIT), DOCKET_OAUTH_REGISTRATION: '1' }
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
  const { server } = await openTestDocket('sqlite', ENV, { clock: createTestClock() })
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
