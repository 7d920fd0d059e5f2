import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newWebhookSecret } from '#lib/token.ts'
import { createSignedHeaders } from '#webhooks/sending/attempt.ts'
import {
  createEvent,
  type Signature,
  signDelivery,
} from '../../conformance/src/receiver/delivery.ts'
import { BROKEN_RECEIVERS } from './controls/broken-receivers.ts'
import { runChecksOf } from './run-kit.ts'
import { serveReceiver } from './served-receiver.ts'

for (const { mistake, create, fails } of BROKEN_RECEIVERS) {
  test(`control: a receiver that ${mistake} fails the checks about that, and no other`, async (t) => {
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
