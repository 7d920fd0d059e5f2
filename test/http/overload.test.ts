import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../support/delivering.ts'
import { docketOn } from '../support/engines.ts'
import { exchange, portOf } from '../support/socket.ts'

/** Keeps the event loop from turning. */
function work(ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a loop that is late again and again refuses most with 503, and serves all when it has caught up', async () => {
  const { server } = await docketOn('sqlite', {}, { sheds: true })
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
  const many = () => Promise.all(Array.from({ length: 30 }, () => statusOf('/api/v1/projects')))
  const asked = await many()
  const refused = asked.filter((reply) => reply?.status === 503)
  assert.ok(refused.length >= 15, `${refused.length} of 30 are refused`)
  const [shed] = refused
  assert.equal(JSON.parse(shed?.body ?? '').error.code, 'unavailable')
  assert.equal(shed?.headers['retry-after'], '1')
  for (let again = 0; again < 5; again++) {
    assert.equal((await statusOf('/healthz'))?.status, 200, 'health is told all the same')
    const code = await statusOf('/app/theme.js')
    assert.equal(code?.status, 200, 'no page is left with half its code')
  }
  await until(
    'all are let in again',
    async () => (await many()).every((reply) => reply?.status === 401),
    30_000,
  )
})
