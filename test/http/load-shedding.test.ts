import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { waitUntil } from '../support/system/wait-until.ts'

/** Operators must see an overloaded process, and no page is left with half its code. */
const EXEMPT = ['/healthz', '/readyz', '/metrics', '/app/icon.svg']

/** Blocks the event loop. */
function blockEventLoop(ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('rejects most requests with 503 while the event loop lags, and none after it has recovered', async () => {
  const { server } = await openTestDocket('sqlite', {}, { sheds: true })
  const port = await listenOnPort(server)
  const countConnections = promisify(server.server.getConnections.bind(server.server))
  const statusOf = async (path: string) => {
    const { replies } = await exchangeRaw(port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    return replies[0]
  }
  // On a machine that is late itself, once may be twice.
  await waitUntil('it is served before and after having been late once', async () => {
    const before = await statusOf('/api/v1/projects')
    blockEventLoop(350)
    await pause(1)
    const after = await statusOf('/api/v1/projects')
    return before?.status === 401 && after?.status === 401
  })
  // They are connected before the process lags, and then all of their requests arrive at once.
  const lagging = Promise.withResolvers<void>()
  const askWhileLagging = async (path: string) => {
    const text = lagging.promise.then(() => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    const { replies } = await exchangeRaw(port, [text])
    return replies[0]
  }
  const asking = Promise.all(Array.from({ length: 30 }, () => askWhileLagging('/api/v1/projects')))
  const exempt = Array.from({ length: 20 }, (_, n) => EXEMPT[n % EXEMPT.length] ?? '')
  const askingExempt = Promise.all(exempt.map(askWhileLagging))
  await waitUntil('all are connected', async () => (await countConnections()) >= 50)
  for (let turn = 0; turn < 4; turn++) {
    if (turn === 3) lagging.resolve()
    await pause(1)
    blockEventLoop(800)
  }
  const refused = (await asking).filter((reply) => reply?.status === 503)
  assert.ok(refused.length >= 15, `${refused.length} of 30 are refused`)
  const [shed] = refused
  assert.equal(JSON.parse(shed?.body ?? '').error.code, 'unavailable')
  assert.equal(shed?.headers['retry-after'], '1')
  for (const [n, reply] of (await askingExempt).entries())
    assert.equal(reply?.status, 200, exempt[n] ?? '')
  const sendMany = () => Promise.all(Array.from({ length: 30 }, () => statusOf('/api/v1/projects')))
  await waitUntil(
    'all are let in again',
    async () => (await sendMany()).every((reply) => reply?.status === 401),
    30_000,
  )
})
