import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '@octokit/webhooks-methods'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { createClock } from '#lib/clock.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { anyCodePoint } from '#test/support/data/code-points.ts'
import { testLog } from '#test/support/engines/test-docket.ts'
import {
  createAttemptRunner,
  createSignedHeaders,
  type SigningInput,
  signBody,
  signStandardWebhook,
} from './attempts.ts'

const TEXT_SECRET = "It's a Secret to Everybody"
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

test('computes the signatures of the documented examples', () => {
  const plain: [secret: string, body: string, hex: string][] = [
    [
      TEXT_SECRET,
      'Hello, World!',
      '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    ],
    [
      SECRET,
      '{"test": 2432232314}',
      '80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
    ],
    [
      SECRET,
      '{"title":"Café ☕ 日本"}',
      'dc99e66b28c60e34a15a1547d731da4a43f37751db87ba93659c905cea0491a9',
    ],
  ]
  for (const [secret, body, hex] of plain) {
    assert.equal(signBody(body, secret), `sha256=${hex}`)
    assert.equal(signBody(Buffer.from(body), secret), `sha256=${hex}`)
  }
  const [id, timestamp] = ['msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330]
  assert.equal(
    signStandardWebhook({ id, timestamp, body: '{"test": 2432232314}', secret: SECRET }),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
  const event = { id: 'evt_01j9zq8v6m3w5x7y9zabcdefgh', timestamp: 1760000000 }
  assert.equal(
    signStandardWebhook({ ...event, body: 'Hello, World!', secret: TEXT_SECRET }),
    'v1,sT8bdANOnDc6GJtYJcItknqwiIo5NGIF81jyJsXAhKM=',
  )
})

const attempt: SigningInput = {
  delivery_id: 'dlv_01k2m3n4p5q6r7s8t9v0w1x2y3',
  event_id: 'evt_01k2m3n4p5q6r7s8t9v0w1x2y4',
  event_type: 'task.updated',
  attempt: 3,
  at: Date.now(),
  body: '{"title":"Café ☕ 日本"}',
  secret: SECRET,
  previous_secret: null,
}

test('an attempt has exactly the documented headers', () => {
  assert.deepEqual(createSignedHeaders({ ...attempt, at: 1_760_000_000_999 }), {
    'Content-Type': 'application/json',
    'User-Agent': 'Docket-Webhooks/1',
    'X-Service-Signature':
      'sha256=dc99e66b28c60e34a15a1547d731da4a43f37751db87ba93659c905cea0491a9',
    'X-Service-Event': 'task.updated',
    'X-Service-Delivery': 'dlv_01k2m3n4p5q6r7s8t9v0w1x2y3',
    'X-Service-Attempt': '3',
    'webhook-id': 'evt_01k2m3n4p5q6r7s8t9v0w1x2y4',
    'webhook-timestamp': '1760000000',
    'webhook-signature': signStandardWebhook({
      id: attempt.event_id,
      timestamp: 1760000000,
      body: attempt.body,
      secret: SECRET,
    }),
  })
})

/** Verifies a request with two independent libraries; one throws on failure, one returns false. */
async function verifyBoth(sent: Record<string, string>, bytes: Buffer, secret: string) {
  const [body, key] = [bytes.toString(), keyFor(secret)]
  const standard = succeeds(() => key.verify(bytes, sent, { jsonParse: false }))
  return { standard, plain: await verify(secret, body, sent['X-Service-Signature'] ?? '') }
}

/** The library chooses the key by the prefix alone: a plain-text secret is passed as bytes. */
const keyFor = (secret: string) =>
  secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(new TextEncoder().encode(secret), { format: 'raw' })

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

const ODD = '\u0000 \u2028 \u202eעברית é e\u0301 👩‍🚀 \ufeff \r\n 𝔘'.split(' ')

/** Envelopes with every kind of text, as JSON: U+0000 is escaped. */
const bodies = fc
  .record({
    title: fc.string({ unit: anyCodePoint, minLength: 1 }),
    tags: fc.array(fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'grapheme' }))),
  })
  .map((value) => JSON.stringify(value))

const secrets = fc.oneof(
  fc.constantFrom(SECRET, TEXT_SECRET, 'Größe und 日本', 'x'.repeat(256)),
  fc.uint8Array({ minLength: 16, maxLength: 64 }).map((key) => {
    return `whsec_${Buffer.from(key).toString('base64')}`
  }),
)

test('two independent libraries verify requests with any text', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, secrets, async (body, secret) => {
      const sent = createSignedHeaders({ ...attempt, at: Date.now(), body, secret })
      const verdict = await verifyBoth(sent, Buffer.from(body), secret)
      assert.deepEqual(verdict, { standard: true, plain: true })
    }),
    { numRuns: 300 },
  )
})

test('verification rejects a changed byte, another secret and a truncated signature', async () => {
  const refused = { standard: false, plain: false }
  await fc.assert(
    fc.asyncProperty(bodies, secrets, fc.nat(), fc.nat(), async (body, secret, at, by) => {
      const sent = createSignedHeaders({ ...attempt, at: Date.now(), body, secret })
      const bytes = Buffer.from(body)
      const changed = Buffer.from(bytes)
      // Printable ASCII only: an invalid UTF-8 byte would be decoded to U+FFFD.
      const positions = [...changed.keys()].filter((index) => (changed[index] ?? 128) < 128)
      const position = positions[at % positions.length] ?? 0
      changed[position] = 32 + (((changed[position] ?? 32) - 32 + 1 + (by % 94)) % 95)
      assert.deepEqual(await verifyBoth(sent, changed, secret), refused)
      assert.deepEqual(await verifyBoth(sent, bytes, newWebhookSecret()), refused)
      const cut = (text = '') => text.slice(0, -1 - (by % 40))
      const short = {
        ...sent,
        'X-Service-Signature': cut(sent['X-Service-Signature']),
        'webhook-signature': cut(sent['webhook-signature']),
      }
      assert.deepEqual(await verifyBoth(short, bytes, secret), refused)
    }),
  )
})

test('uses a secret that is not valid base64 of 16 to 64 bytes as text', () => {
  const sized = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  const texts = [
    sized(15),
    sized(65),
    'whsec_',
    `${SECRET}=`,
    `${SECRET} `,
    `${SECRET}\u00e9`,
    sized(16).replace(/=+$/, ''),
    `whsec_${'-_'.repeat(16)}`,
    SECRET.slice(6),
  ]
  const [id, timestamp, body] = ['evt_1', 1, 'Hello']
  const raw = (secret: string | Uint8Array) =>
    new Webhook(typeof secret === 'string' ? new TextEncoder().encode(secret) : secret, {
      format: 'raw',
    }).sign(id, new Date(1000), body)
  for (const secret of texts) {
    assert.equal(signStandardWebhook({ id, timestamp, body, secret }), raw(secret), secret)
  }
  for (const bytes of [16, 17, 64]) {
    const signature = signStandardWebhook({ id, timestamp, body, secret: sized(bytes) })
    assert.equal(signature, raw(Buffer.alloc(bytes, 7)))
  }
})

test('what fails unexpectedly while sending is a failed attempt, and no end of the delivery', async () => {
  const runAttempt = createAttemptRunner(
    {
      send: () => Promise.reject(new Error('a module that could not be loaded')),
      decrypt: () => TEXT_SECRET,
      log: testLog,
    },
    createClock(),
  )
  const attempt = await runAttempt(
    'wsp_1',
    {
      id: 'whk_1',
      url: 'https://example.com/hook',
      is_active: 1,
      activation: 1,
      sealed_secret: 'sealed',
      sealed_previous_secret: null,
      previous_secret_expires_at: null,
      failure_count: 0,
      has_stale: 0,
    },
    {
      id: 'dlv_1',
      queue: 1,
      body: '{}',
      event_id: 'evt_1',
      event_type: 'task.updated',
      attempt_count: 0,
      lane: null,
      is_test: 0,
      created_at: '2026-01-01T00:00:00.000Z',
    },
  )
  assert.deepEqual([attempt.isUnsendable, attempt.error], [false, 'connection_failed'])
  assert.ok('X-Service-Delivery' in attempt.headers)
})
