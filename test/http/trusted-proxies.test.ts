import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'

const clock = createTestClock()

/** Sends a bad credential for each X-Forwarded-For value and returns the statuses. */
async function statusesOf(proxies: number, forwarded: readonly (string | undefined)[]) {
  const env = { DOCKET_UNAUTHENTICATED_LIMIT: '2', DOCKET_TRUST_PROXY: String(proxies) }
  const { server } = await openTestDocket('sqlite', env, { clock })
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

test('ignores X-Forwarded-For without a trusted proxy', async () => {
  assert.deepEqual(await statusesOf(0, ['10.1.1.1', '10.1.1.2', '10.1.1.3']), [401, 401, 429])
})

test('behind one proxy, the last X-Forwarded-For address is the client', async () => {
  const spoofed = ['10.9.9.1, 203.0.113.5', '10.9.9.2, 203.0.113.5', '10.9.9.3, 203.0.113.5']
  assert.deepEqual(await statusesOf(1, spoofed), [401, 401, 429])
  assert.deepEqual(await statusesOf(1, ['10.9.9.3, 203.0.113.6']), [401])
})

test('behind two proxies, the second to last X-Forwarded-For address is the client', async () => {
  const spoofed = ['10.9.9.1, 203.0.113.5, 10.0.0.1', '10.9.9.2, 203.0.113.5, 10.0.0.2']
  assert.deepEqual(await statusesOf(2, [...spoofed, '203.0.113.5, 10.0.0.3']), [401, 401, 429])
  assert.deepEqual(await statusesOf(2, ['203.0.113.5, 203.0.113.6, 10.0.0.1']), [401])
})
