import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '#lib/id.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { eventOf, newReceiver, type Spoilt } from './receiving.ts'

/** Started, and ended when the test is, whatever comes of it. */
async function started(t: TestContext) {
  const receiver = newReceiver()
  const end = await receiver.start()
  t.after(() => end('SIGKILL'))
  return { ...receiver, end }
}

test('an event is confirmed, printed and known', async (t) => {
  const { post, end, printed, titleOf } = await started(t)
  const event = eventOf('tsk_1', 7, 'Café ☕ 日本 "\u2028" 👩‍🚀')
  assert.equal(await post(event), 204)
  const ping = { ...event, id: newId('evt'), type: 'webhook.test', sequence: null, data: {} }
  assert.equal(await post(ping), 204)
  assert.equal(await end('SIGTERM'), 0)
  assert.deepEqual(printed(), [
    `7 ${event.id} task.updated tsk_1 ${event.data.title} (Ada)`,
    `- ${ping.id} webhook.test (Ada)`,
  ])
  assert.equal(titleOf('tsk_1'), event.data.title)
})

test('what Docket did not sign, or not just now, is refused and leaves nothing', async (t) => {
  const { post, end, printed, titleOf } = await started(t)
  const event = eventOf('tsk_1', 1, 'Never')
  const text = JSON.stringify(event)
  const now = Math.floor(Date.now() / 1000)
  const refused: Spoilt[] = [
    { signed: { secret: newWebhookSecret(), previous_secret: newWebhookSecret() } },
    { signed: { at: Date.now() - 302_000 } },
    { signed: { at: Date.now() + 302_000 } },
    { body: `${text} ` },
    { body: text.replace('Never', 'never') },
    { headers: { 'webhook-id': newId('evt') } },
    { headers: { 'webhook-timestamp': String(now + 100) } },
    { headers: { 'webhook-timestamp': '' } },
    { headers: { 'webhook-timestamp': 'now' } },
    { headers: { 'webhook-signature': '' } },
    { headers: { 'webhook-signature': 'v1,' } },
    { headers: { 'webhook-signature': `v1,${'A'.repeat(43)}=` } },
  ]
  for (const [at, spoilt] of refused.entries()) {
    assert.equal(await post(event, spoilt), 401, `refusal ${at}`)
  }
  assert.equal(await post(event, { body: text.padEnd(2 ** 20 + 1) }), 413)
  assert.equal(await end('SIGTERM'), 0)
  assert.deepEqual(printed(), [])
  assert.equal(titleOf('tsk_1'), undefined)
})

test('four minutes of delay, a body of 1 MiB and either of two secrets are taken', async (t) => {
  const { post, end, printed } = await started(t)
  const delayed = eventOf('tsk_1', 1, 'Delayed')
  assert.equal(await post(delayed, { signed: { at: Date.now() - 240_000 } }), 204)
  const large = eventOf('tsk_1', 2, 'Large')
  const body = JSON.stringify(large).padEnd(2 ** 20)
  assert.equal(await post(large, { signed: { body }, body }), 204)
  const overlapping = { secret: newWebhookSecret(), previous_secret: newWebhookSecret() }
  assert.equal(await post(large, { signed: overlapping }), 401)
  await end('SIGTERM')
  assert.equal(printed().length, 2)
})

test('an event that comes again, even at the same moment, is handled once', async (t) => {
  const { post, end, printed } = await started(t)
  const [first, second] = [eventOf('tsk_1', 1, 'One'), eventOf('tsk_2', 2, 'Two')]
  const times = Array.from({ length: 20 }, (_, at) => post(at % 2 ? first : second))
  assert.deepEqual(new Set(await Promise.all(times)), new Set([204]))
  assert.equal(await post(first), 204)
  await end('SIGTERM')
  assert.equal(printed().length, 2)
})

test('an older event that comes late is told, and does not undo the newer one', async (t) => {
  const { post, end, printed, titleOf } = await started(t)
  for (const event of [
    eventOf('tsk_1', 1, 'First'),
    eventOf('tsk_1', 3, 'Third'),
    eventOf('tsk_1', 2, 'Second'),
    eventOf('cmt_1', 2, 'of another record'),
  ]) {
    assert.equal(await post(event), 204)
  }
  await end('SIGTERM')
  const told = printed().map((line) => line.replace(/ evt_\w+ task.updated/, ''))
  assert.deepEqual(told, [
    '1 tsk_1 First (Ada)',
    '3 tsk_1 Third (Ada)',
    '2 tsk_1 Second (Ada) late',
    '2 cmt_1 of another record (Ada)',
  ])
  assert.equal(titleOf('tsk_1'), 'Third')
})
