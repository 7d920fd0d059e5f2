import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { Value } from 'typebox/value'
import { eventExampleOf } from '#http/openapi/recorded-examples.ts'
import { newToken, newWebhookSecret } from '#lib/token.ts'
import { EventEnvelope } from '#resources/events/contract.ts'
import { startDocketUnderTest } from '#test/conformance/docket-under-test.ts'
import { runChecksOf, runKit } from '#test/conformance/run-kit.ts'
import { openTerminal } from '#test/release/documents/terminal.ts'
import { createReceiver } from '#test/release/examples/example-receiver.ts'
import { readProgramTexts } from '#test/release/webhook-programs/documented-programs.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { listenUntilEnd } from '#test/support/system/listen-until-end.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { createSignedHeaders } from '#webhooks/attempts.ts'
import { createRedactor } from '../../../conformance/src/check.ts'
import {
  createEvent,
  type Signature,
  signDelivery,
} from '../../../conformance/src/receiver/delivery.ts'
import { BROKEN_RECEIVERS, type HandleDelivery } from './broken-receivers.ts'

/** Serves a receiver until the end of the test; returns its URL. */
async function serveReceiver(t: TestContext, handle: HandleDelivery): Promise<string> {
  const server = createServer(async (request, response) => {
    response.writeHead(handle(request.headers, await buffer(request))).end()
  })
  return `http://127.0.0.1:${await listenUntilEnd(t, server)}/hook`
}

test('the example receiver passes all checks of a receiver, and the kit never prints the secret', async (t) => {
  const { start, secret, url, printed } = createReceiver()
  const end = await start()
  t.after(() => end('SIGKILL'))
  const run = await runChecksOf('receiver', url(), '--secret', secret)
  assert.deepEqual([run.failed, run.skipped, run.code], [[], [], 0])
  assert.ok(run.passed.length >= 20)
  assert.ok(!run.output.includes(secret))
  // Repeated events are handled once, and forged ones never.
  assert.equal(await end('SIGTERM'), 0)
  const ids = printed().map((line) => /evt_\w+/.exec(line)?.[0])
  assert.equal(ids.length, new Set(ids).size)
  assert.ok(printed().every((line) => !line.includes('check the receiver')))
})

test('the receiver of the quickstart, which reads one signature, fails only during a rotation', async (t) => {
  const [receiver] = readProgramTexts('docs/guides/quickstart.md')
  const path = join(createTempDir(), receiver?.name ?? '')
  writeFileSync(path, receiver?.text ?? '')
  const [secret, port] = [newWebhookSecret(), await findFreePort()]
  const env = { DOCKET_WEBHOOK_SECRET: secret, PORT: String(port) }
  await openTerminal(t, `exec '${process.execPath}' '${path}'`, env)
  const url = `http://127.0.0.1:${port}`
  const run = await runChecksOf('receiver', url, '--secret', secret, '--scheme', 'service')
  assert.deepEqual(run.failed, ['accepts either of two signatures during a rotation'])
  assert.equal(run.skipped.length, 2)
  assert.equal(run.code, 1)
})

test('reports say what was expected, what was seen and what to do', async (t) => {
  const secret = newWebhookSecret()
  const url = await serveReceiver(t, () => 302)
  const file = join(createTempDir(), 'junit.xml')
  const { code, stdout } = await runKit('receiver', url, '--secret', secret, '--junit', file)
  assert.equal(code, 1)
  assert.match(stdout, /^Genuine deliveries\n {2}FAIL accepts an event\n {9}expected status 2xx\n/)
  assert.match(stdout, / {9}saw {6}302\n {9}request {2}POST \/hook\n {18}Content-Type: /)
  assert.match(stdout, / {9}reply {4}302\n {9}advice {3}Check that the receiver has this secret/)
  assert.match(stdout, /\n0 passed, 20 failed\n$/)
  const xml = readFileSync(file, 'utf8')
  assert.match(xml, /<testsuite name="Genuine deliveries" tests="11" failures="11" skipped="0">/)
  assert.match(xml, /name="accepts an event"><failure message="expected status 2xx, saw 302">/)
})

test('wrong usage ends with 2, and an address where nothing listens with 3', async () => {
  const nowhere = `http://127.0.0.1:${await findFreePort()}`
  const secret = ['--secret', newWebhookSecret()]
  const usages = [
    [],
    ['receiver', nowhere],
    ['receiver', 'ftp://example.com', ...secret],
    ['receiver', nowhere, ...secret, '--scheme', 'other'],
    ['receiver', nowhere, ...secret, '--unknown'],
    ['server', nowhere],
    ['server', nowhere, '--key', 'dkt_x', '--receive-at', 'http://example.com'],
    ['nothing', nowhere],
  ]
  for (const args of usages) {
    const { code, stdout, stderr } = await runKit(...args)
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^.+\nUsage:\n {2}docket-conformance receiver /)
  }
  for (const args of [
    ['receiver', nowhere, ...secret],
    ['server', nowhere, '--key', 'dkt_x'],
  ]) {
    const { code, stderr } = await runKit(...args)
    assert.deepEqual([code, stderr], [3, `connect ECONNREFUSED ${new URL(nowhere).host}\n`])
  }
  assert.equal((await runKit('--help')).code, 0)
})

test('reports hide secrets', () => {
  const redact = createRedactor(['known', ''])
  const texts = [newWebhookSecret(), newToken('dkt_'), 'known'].map((one) => `{"a":"${one}"}`)
  assert.deepEqual(texts.map(redact), Array(3).fill('{"a":"[secret]"}'))
})

test('the events of the kit have the members of recorded ones', () => {
  const event = createEvent('A title')
  const expected = Value.Parse(EventEnvelope, eventExampleOf('task.updated'))
  for (const key of ['data', 'actor'] as const) {
    assert.deepEqual(Object.keys(event[key]), Object.keys(expected[key]))
  }
  assert.deepEqual(Object.keys(event), Object.keys(expected))
})

for (const { mistake, create, fails } of BROKEN_RECEIVERS) {
  test(`a receiver that ${mistake} fails the checks about that, and no other`, async (t) => {
    const secret = newWebhookSecret()
    const url = await serveReceiver(t, create(secret))
    const { code, failed, passed, skipped, results } = await runChecksOf(
      'receiver',
      url,
      '--secret',
      secret,
    )
    assert.deepEqual(failed, fails)
    assert.deepEqual(skipped, [])
    assert.equal(passed.length, results.length - fails.length)
    assert.equal(code, 1)
  })
}

test('the kit signs as Docket does', () => {
  const encode = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'key').toString('base64')}`
  const own = [
    'a secret of my own',
    'whsec_not base64',
    encode(15),
    encode(16),
    encode(64),
    encode(65),
  ]
  for (const secret of [...own, newWebhookSecret()]) {
    for (const previous_secret of [null, newWebhookSecret()]) {
      const event = createEvent('Café ☕ 日本')
      const body = JSON.stringify(event)
      const secrets: Signature['secrets'] = previous_secret ? [secret, previous_secret] : [secret]
      const { headers } = signDelivery(event, body, { secrets, attempt: 2 })
      const expected = createSignedHeaders({
        delivery_id: headers['X-Service-Delivery'] ?? '',
        event_id: event.id,
        event_type: event.type,
        attempt: 2,
        at: Number(headers['webhook-timestamp']) * 1000,
        body,
        secret,
        previous_secret,
      })
      assert.deepEqual(headers, expected, secret)
    }
  }
})

test('the kit ends with 3 where it cannot run, and does not print the key', async () => {
  const docket = await startDocketUnderTest()
  const url = `http://127.0.0.1:${docket.port}`
  const wrongKey = newToken('dkt_')
  const runs: [args: string[], message: RegExp][] = [
    [['--key', wrongKey], /^expected 200 from GET \/projects\?limit=200, saw 401 invalid_token\n$/],
    [['--key', docket.key, '--project', 'prj_x'], /saw 404 not_found\n$/],
    [['--key', docket.key, '--receive-at', url], /^listen EADDRINUSE: /],
  ]
  for (const [args, message] of runs) {
    const { code, stdout, stderr } = await runKit('server', url, ...args)
    assert.deepEqual([code, stdout], [3, ''])
    assert.match(stderr, message)
    assert.ok(!stderr.includes(wrongKey))
  }
})
