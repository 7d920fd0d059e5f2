import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { docketOn } from '../support/engines.ts'
import { exchange, portOf } from '../support/socket.ts'

/** Keeps the event loop from turning. */
function work(ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a loop that is late again and again refuses with 503, and serves when it has caught up', async () => {
  const { server } = await docketOn('sqlite', { DOCKET_DRAIN_SECONDS: '2' })
  const port = await portOf(server)
  const statusOf = async (path: string) => {
    const { replies } = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    return replies[0]
  }
  await pause(250)
  assert.equal((await statusOf('/api/v1/projects'))?.status, 401)
  work(350)
  await pause(1)
  assert.equal((await statusOf('/api/v1/projects'))?.status, 401, 'late once is no overload')
  for (let turn = 0; turn < 4; turn++) {
    work(350)
    await pause(1)
  }
  const shed = await statusOf('/api/v1/projects')
  assert.equal(shed?.status, 503)
  assert.equal(JSON.parse(shed?.body ?? '').error.code, 'unavailable')
  assert.equal(shed?.headers['retry-after'], '1')
  assert.equal((await statusOf('/healthz'))?.status, 200, 'health is told all the same')
  assert.equal((await statusOf('/app/theme.js'))?.status, 200, 'no page is left with half its code')
  await pause(250)
  assert.equal((await statusOf('/api/v1/projects'))?.status, 401)
})
