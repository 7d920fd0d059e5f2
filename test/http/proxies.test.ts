import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docketOn } from '../support/engines.ts'

/** Fails to authenticate once for each list of forwarded addresses; gives the statuses. */
async function statuses(proxies: number, forwarded: readonly (string | undefined)[]) {
  const env = { DOCKET_UNAUTHENTICATED_LIMIT: '2', DOCKET_TRUST_PROXY: String(proxies) }
  const { server } = await docketOn('sqlite', env)
  const found: number[] = []
  for (const list of forwarded) {
    const headers = { authorization: 'Bearer x', ...(list && { 'x-forwarded-for': list }) }
    const { statusCode } = await server.inject({
      url: '/api/v1/projects',
      remoteAddress: '192.0.2.1',
      headers,
    })
    found.push(statusCode)
  }
  return found
}

/** What was failed is forgotten at the end of a minute: begin where enough of one is left. */
async function wholeMinute() {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 2_000) await new Promise((resolve) => setTimeout(resolve, left))
}

test('without a proxy in front nobody is believed to come from elsewhere', async () => {
  await wholeMinute()
  assert.deepEqual(await statuses(0, ['10.1.1.1', '10.1.1.2', '10.1.1.3']), [401, 401, 429])
})

test('behind a proxy the address is the one that it saw, not what was said to it', async () => {
  await wholeMinute()
  const made = ['10.9.9.1, 203.0.113.5', '10.9.9.2, 203.0.113.5', '10.9.9.3, 203.0.113.5']
  assert.deepEqual(await statuses(1, made), [401, 401, 429])
  assert.deepEqual(await statuses(1, ['10.9.9.3, 203.0.113.6']), [401])
})

test('behind two proxies the address is the one that the first of them saw', async () => {
  await wholeMinute()
  const made = ['10.9.9.1, 203.0.113.5, 10.0.0.1', '10.9.9.2, 203.0.113.5, 10.0.0.2']
  assert.deepEqual(await statuses(2, [...made, '203.0.113.5, 10.0.0.3']), [401, 401, 429])
  assert.deepEqual(await statuses(2, ['203.0.113.5, 203.0.113.6, 10.0.0.1']), [401])
})
