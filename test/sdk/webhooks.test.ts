import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import fastify from 'fastify'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret } from '#lib/token.ts'
import { listenUntilEnd } from '#test/support/system/listen-until-end.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { openDeliveringWorkspace } from '#test/support/webhooks/delivering-docket.ts'
import { createSignedHeaders, signBody } from '#webhooks/attempts.ts'
import {
  type RawWebhook,
  receiveWebhook,
  signWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookRequest,
} from '../../sdk/src/webhooks.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const TEXT_SECRET = "It's a Secret to Everybody"
const BODY = JSON.stringify({ id: 'evt_1', type: 'task.created', data: { title: 'Café ☕ 日本' } })

/** What Docket sends. */
const signByDocket = (
  body: string,
  secret: string,
  previous_secret: string | null = null,
  at = Date.now(),
) =>
  createSignedHeaders({
    delivery_id: 'dlv_1',
    event_id: 'evt_1',
    event_type: 'task.created',
    attempt: 1,
    at,
    body,
    secret,
    previous_secret,
  })

/** `accepted`, or the code of the error. */
async function outcomeOf(work: Promise<{ type: string }>): Promise<WebhookErrorCode | 'accepted'> {
  try {
    await work
    return 'accepted'
  } catch (error) {
    if (error instanceof WebhookError) return error.code
    throw error
  }
}

const verify = (given: Partial<RawWebhook>) =>
  outcomeOf(
    verifyWebhook({ body: BODY, headers: signByDocket(BODY, SECRET), secret: SECRET, ...given }),
  )

test('signs the documented examples, and verifies them at their time', async () => {
  const body = '{"test": 2432232314}'
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    'x-service-signature':
      'sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
  }
  const now = 1_614_265_330_000
  assert.deepEqual(
    await signWebhook({ body, secret: SECRET, id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', now }),
    { 'content-type': 'application/json', ...headers },
  )
  assert.equal(await verify({ body, headers, now }), 'accepted')
  assert.equal(await verify({ body, headers }), 'stale')

  const id = 'evt_01j9zq8v6m3w5x7y9zabcdefgh'
  const text = await signWebhook({
    body: 'Hello, World!',
    secret: TEXT_SECRET,
    id,
    now: 1_760_000_000_999,
  })
  assert.equal(text['webhook-signature'], 'v1,sT8bdANOnDc6GJtYJcItknqwiIo5NGIF81jyJsXAhKM=')
  assert.equal(
    text['x-service-signature'],
    'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  )
  const coffee = await signWebhook({ body: '{"title":"Café ☕ 日本"}', secret: SECRET })
  assert.equal(
    coffee['x-service-signature'],
    'sha256=dc99e66b28c60e34a15a1547d731da4a43f37751db87ba93659c905cea0491a9',
  )
})

test('accepts what Docket signs: text or bytes, headers of any kind and case', async () => {
  const headers = signByDocket(BODY, SECRET)
  const asBytes = Buffer.from(`..${BODY}`).subarray(2)
  const inArrays = Object.fromEntries(Object.entries(headers).map(([name, one]) => [name, [one]]))
  for (const body of [BODY, asBytes]) {
    for (const kind of [headers, new Headers(headers), inArrays]) {
      const event = await verifyWebhook({ body, headers: kind, secret: SECRET })
      assert.ok(event.type === 'task.created')
      // Compiles only if the type of the event narrows its data.
      assert.equal(event.data.title, 'Café ☕ 日本')
    }
  }
})

test('refuses another body, secret, id, time or signature, and says why', async () => {
  const headers = new Headers(signByDocket(BODY, SECRET))
  const without = (name: string) => {
    const rest = new Headers(headers)
    rest.delete(name)
    return rest
  }
  const changed = (name: string, value: string) => {
    const next = new Headers(headers)
    next.set(name, value)
    return next
  }
  const standard = headers.get('webhook-signature') ?? ''
  const later = String(Number(headers.get('webhook-timestamp')) + 1)
  const refused: [WebhookErrorCode, Partial<RawWebhook>][] = [
    ['wrong_signature', { body: `${BODY} ` }],
    ['wrong_signature', { body: BODY.replace('Café', 'Cafe') }],
    ['wrong_signature', { body: '' }],
    ['wrong_signature', { secret: newWebhookSecret() }],
    ['wrong_signature', { secret: SECRET.slice('whsec_'.length) }],
    ['wrong_signature', { headers: changed('webhook-id', 'evt_2') }],
    ['wrong_signature', { headers: changed('webhook-timestamp', later) }],
    ['wrong_signature', { headers: changed('webhook-signature', 'v1,') }],
    ['wrong_signature', { headers: changed('webhook-signature', standard.slice(0, -1)) }],
    ['wrong_signature', { headers: changed('webhook-signature', `${standard}=`) }],
    ['wrong_signature', { headers: changed('webhook-signature', standard.toLowerCase()) }],
    ['wrong_signature', { headers: changed('x-service-signature', 'sha256=') }],
    [
      'wrong_signature',
      { headers: changed('x-service-signature', signBody(BODY, newWebhookSecret())) },
    ],
    ['missing_header', { headers: {} }],
    ['missing_header', { headers: without('webhook-id') }],
    ['missing_header', { headers: without('webhook-timestamp') }],
    // Otherwise a recorded request could be repeated without the header that has the time.
    ['missing_header', { headers: without('webhook-signature') }],
    ['stale', { now: Date.now() + 302_000 }],
    ['stale', { now: Date.now() - 302_000 }],
    ['stale', { headers: changed('webhook-timestamp', 'now') }],
    ['stale', { headers: changed('webhook-timestamp', '1e9') }],
    ['stale', { now: Date.now() + 12_000, toleranceSeconds: 10 }],
    ['missing_secret', { secret: '' }],
    ['missing_secret', { secret: [] }],
    ['missing_secret', { secret: [SECRET, ''] }],
  ]
  for (const [code, given] of refused) assert.equal(await verify(given), code)
  for (const now of [Date.now() - 298_000, Date.now() + 298_000]) {
    assert.equal(await verify({ now }), 'accepted')
  }
  assert.equal(await verify({ headers: without('x-service-signature') }), 'accepted')
  const foreign = verifyWebhook({ body: BODY, headers, secret: newWebhookSecret() })
  await assert.rejects(foreign, {
    name: 'WebhookError',
    status: 401,
    message: /the secret of this/,
  })
})

test('accepts either secret on either side of a rotation, and no third', async () => {
  const [next, third] = [newWebhookSecret(), newWebhookSecret()]
  const rotated = signByDocket(BODY, next, SECRET)
  for (const secret of [next, SECRET, [next, SECRET], [SECRET, next]]) {
    assert.equal(await verify({ headers: rotated, secret }), 'accepted')
    const own = await signWebhook({ body: BODY, secret: [next, SECRET] })
    assert.equal(await verify({ headers: own, secret }), 'accepted')
  }
  assert.equal(await verify({ secret: [third, SECRET] }), 'accepted')
  assert.equal(await verify({ headers: rotated, secret: third }), 'wrong_signature')
  assert.equal(await verify({ headers: rotated, secret: [third, third] }), 'wrong_signature')
})

test('derives the key of any secret as Docket does, and never an empty one', async () => {
  const encoded = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'key').toString('base64')}`
  for (const secret of [
    newWebhookSecret(),
    TEXT_SECRET,
    'Größe und 日本',
    'whsec_',
    'whsec_not base64',
    'whsec_!!!!!!!!',
    encoded(15),
    encoded(16),
    encoded(64),
    encoded(65),
    encoded(17).replace('=', ''),
  ]) {
    const headers = signByDocket(BODY, secret)
    assert.equal(await verify({ headers, secret }), 'accepted', secret)
    const forged = signByDocket(BODY, '')
    assert.equal(await verify({ headers: forged, secret }), 'wrong_signature', secret)
  }
})

test('agrees with the library of Standard Webhooks in both directions', async () => {
  const library = new Webhook(SECRET)
  const [id, at] = ['msg_1', new Date()]
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': library.sign(id, at, BODY),
  }
  assert.equal(await verify({ headers }), 'accepted')
  assert.deepEqual(
    library.verify(BODY, await signWebhook({ body: BODY, secret: SECRET })),
    JSON.parse(BODY),
  )
})

/** Replies as a receiver would. */
async function receive(given: WebhookRequest): Promise<{ status: number; text: string }> {
  try {
    const event = await receiveWebhook(given, { secret: SECRET })
    return { status: 200, text: event.id }
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return { status: error.status, text: error.message }
  }
}

async function startReceiver(t: TestContext, before = async (_: IncomingMessage) => {}) {
  const server = createServer(async (incoming, response) => {
    await before(incoming)
    const { status, text } = await receive(incoming)
    response.writeHead(status).end(text)
  })
  return `http://127.0.0.1:${await listenUntilEnd(t, server)}`
}

async function post(url: string, body: string, headers: Record<string, string>) {
  const reply = await fetch(url, { method: 'POST', body, headers })
  return { status: reply.status, text: await reply.text() }
}

test('receives with node:http, up to 1 MiB', async (t) => {
  const url = await startReceiver(t)
  const headers = signByDocket(BODY, SECRET)
  assert.deepEqual(await post(url, BODY, headers), { status: 200, text: 'evt_1' })
  assert.equal((await post(url, `${BODY} `, headers)).status, 401)
  assert.equal((await post(url, BODY, {})).status, 401)
  const padding = 2 ** 20 - Buffer.byteLength(BODY)
  const large = BODY + ' '.repeat(padding)
  assert.equal((await post(url, large, signByDocket(large, SECRET))).status, 200)
  const tooLarge = `${large} `
  assert.equal((await post(url, tooLarge, signByDocket(tooLarge, SECRET))).status, 413)
})

test('stops reading a body without a length after 1 MiB', async (t) => {
  const url = await startReceiver(t)
  const sending = request(url, { method: 'POST', headers: signByDocket(BODY, SECRET) })
  let sent = 0
  const ended = new Promise<string>((resolve) => {
    sending.on('response', (reply) => resolve(String(reply.statusCode)))
    sending.on('error', (error) => resolve(error.message))
  })
  const timer = setInterval(() => {
    sent += 2 ** 18
    sending.write(Buffer.alloc(2 ** 18))
  }, 5)
  t.after(() => {
    clearInterval(timer)
    sending.destroy()
  })
  assert.match(await ended, /413|ECONNRESET|EPIPE|socket hang up/)
  assert.ok(sent >= 2 ** 20, `${sent} bytes`)
})

test('says how to keep the raw body when something else has read it', async (t) => {
  const url = await startReceiver(t, async (incoming) => {
    for await (const _ of incoming);
  })
  const { status, text } = await post(url, BODY, signByDocket(BODY, SECRET))
  assert.equal(status, 500)
  for (const line of [/express\.raw\(\{/, /addContentTypeParser\(/, /c\.req\.text\(\)/]) {
    assert.match(text, line)
  }
  const parsed = JSON.parse(BODY)
  assert.equal(await verify({ body: parsed }), 'parsed_body')
})

test('receives with Fastify, and names its own line', async (t) => {
  const app = fastify()
  t.after(() => app.close())
  app.post('/parsed', async (given, reply) => {
    const { status, text } = await receive(given)
    return reply.code(status).send(text)
  })
  await app.register(async (raw) => {
    raw.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) =>
      done(null, body),
    )
    raw.post('/raw', async (given, reply) => {
      const { status, text } = await receive(given)
      return reply.code(status).send(text)
    })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const headers = signByDocket(BODY, SECRET)
  assert.deepEqual(await post(`${url}/raw`, BODY, headers), { status: 200, text: 'evt_1' })
  assert.equal((await post(`${url}/raw`, `${BODY} `, headers)).status, 401)
  const { status, text } = await post(`${url}/parsed`, BODY, headers)
  assert.equal(status, 500)
  assert.match(text, /addContentTypeParser\('application\/json', \{ parseAs: 'buffer' \}/)
  assert.doesNotMatch(text, /Express|Hono/)
})

test('receives a Request of fetch, and names its own line', async () => {
  const create = (body: string) =>
    new Request('https://receiver.example/hook', {
      method: 'POST',
      body,
      headers: signByDocket(BODY, SECRET),
    })
  assert.deepEqual(await receive(create(BODY)), { status: 200, text: 'evt_1' })
  assert.equal((await receive(create(`${BODY} `))).status, 401)
  assert.equal((await receive(new Request('https://receiver.example/hook'))).status, 401)
  const read = create(BODY)
  await read.json()
  const { status, text } = await receive(read)
  assert.equal(status, 500)
  assert.match(text, /request\.text\(\)/)
  assert.doesNotMatch(text, /Express|Fastify/)
})

test('receives what a Docket delivers, before and after a rotation', async (t) => {
  const { createWebhook, createTask, callApi } = await openDeliveringWorkspace('sqlite')
  const events: string[] = []
  const refused: WebhookErrorCode[] = []
  let secret = ''
  const receiver = createServer(async (incoming, response) => {
    try {
      const event = await receiveWebhook(incoming, { secret })
      if (event.type === 'task.created') events.push(event.data.title)
      response.writeHead(204).end()
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      refused.push(error.code)
      response.writeHead(error.status).end()
    }
  })
  const webhook = await createWebhook(`http://127.0.0.1:${await listenUntilEnd(t, receiver)}/hook`)
  secret = webhook.secret
  await createTask('Café ☕ 日本')
  await waitUntil('the first event', () => events.length === 1)
  const rotated = await callApi('POST', `/webhooks/${webhook.id}/rotate-secret`, {})
  assert.notEqual(rotated.secret, secret)
  await createTask('signed with both')
  await waitUntil('an event for the old secret', () => events.length === 2)
  secret = rotated.secret
  await createTask('signed with both again')
  await waitUntil('an event for the new secret', () => events.length === 3)
  assert.deepEqual(events, ['Café ☕ 日本', 'signed with both', 'signed with both again'])
  assert.deepEqual(refused, [])
})
