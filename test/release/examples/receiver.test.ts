import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '#lib/id.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { signStandardWebhook } from '#webhooks/sending/attempt.ts'
import { isSignedByDocket } from '../../../examples/receiver/signature.ts'
import {
  createReceiver,
  createReceiverEvent,
  type PostOverrides,
  type ReceiverEvent,
} from './example-receiver.ts'

/** Starts a receiver and stops it at the end of the test. */
async function startReceiver(t: TestContext) {
  const receiver = createReceiver()
  const end = await receiver.start()
  t.after(() => end('SIGKILL'))
  return { ...receiver, end }
}

test('confirms, prints and stores an event', async (t) => {
  const { post, end, printed, titleOf } = await startReceiver(t)
  const event = createReceiverEvent('tsk_1', 7, 'Café ☕ 日本 "\u2028" 👩‍🚀')
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

test('rejects invalid signatures and old timestamps, and stores nothing', async (t) => {
  const { post, end, printed, titleOf } = await startReceiver(t)
  const event = createReceiverEvent('tsk_1', 1, 'Never')
  const text = JSON.stringify(event)
  const now = Math.floor(Date.now() / 1000)
  const rejected: PostOverrides[] = [
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
  for (const [at, overrides] of rejected.entries()) {
    assert.equal(await post(event, overrides), 401, `refusal ${at}`)
  }
  assert.equal(await post(event, { body: text.padEnd(2 ** 20 + 1) }), 413)
  assert.equal(await end('SIGTERM'), 0)
  assert.deepEqual(printed(), [])
  assert.equal(titleOf('tsk_1'), undefined)
})

test('accepts four minutes of delay and a body of 1 MiB, but no foreign secret', async (t) => {
  const { post, end, printed } = await startReceiver(t)
  const delayed = createReceiverEvent('tsk_1', 1, 'Delayed')
  assert.equal(await post(delayed, { signed: { at: Date.now() - 240_000 } }), 204)
  const large = createReceiverEvent('tsk_1', 2, 'Large')
  const body = JSON.stringify(large).padEnd(2 ** 20)
  assert.equal(await post(large, { signed: { body }, body }), 204)
  const overlapping = { secret: newWebhookSecret(), previous_secret: newWebhookSecret() }
  assert.equal(await post(large, { signed: overlapping }), 401)
  await end('SIGTERM')
  assert.equal(printed().length, 2)
})

test('derives the key of any secret as Docket does, and never an empty one', () => {
  const body = Buffer.from('{}')
  const isAccepted = (secret: string, signedWith: string) => {
    const timestamp = Math.floor(Date.now() / 1000)
    const signature = signStandardWebhook({ id: 'evt_1', timestamp, body, secret: signedWith })
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(timestamp) }
    return isSignedByDocket({ ...headers, 'webhook-signature': signature }, body, secret)
  }
  const encoded = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'key').toString('base64')}`
  const secrets = [
    newWebhookSecret(),
    'a secret of my own',
    'whsec_not base64',
    'whsec_!!!!!!!!',
    encoded(15),
    encoded(16),
    encoded(64),
    encoded(65),
    encoded(17).replace('=', ''),
  ]
  for (const secret of secrets) {
    assert.ok(isAccepted(secret, secret), secret)
    assert.ok(!isAccepted(secret, ''), secret)
  }
})

test('handles an event once, also when it is delivered concurrently', async (t) => {
  const { post, end, printed } = await startReceiver(t)
  const [first, second] = [
    createReceiverEvent('tsk_1', 1, 'One'),
    createReceiverEvent('tsk_2', 2, 'Two'),
  ]
  const times = Array.from({ length: 20 }, (_, at) => post(at % 2 ? first : second))
  assert.deepEqual(new Set(await Promise.all(times)), new Set([204]))
  assert.equal(await post(first), 204)
  await end('SIGTERM')
  assert.equal(printed().length, 2)
})

test('an older event that arrives late does not overwrite a newer one', async (t) => {
  const { post, end, printed, titleOf } = await startReceiver(t)
  for (const event of [
    createReceiverEvent('tsk_1', 1, 'First'),
    createReceiverEvent('tsk_1', 3, 'Third'),
    createReceiverEvent('tsk_1', 2, 'Second'),
    createReceiverEvent('cmt_1', 2, 'of another record'),
  ]) {
    assert.equal(await post(event), 204)
  }
  await end('SIGTERM')
  const lines = printed().map((line) => line.replace(/ evt_\w+ task.updated/, ''))
  assert.deepEqual(lines, [
    '1 tsk_1 First (Ada)',
    '3 tsk_1 Third (Ada)',
    '2 tsk_1 Second (Ada) late',
    '2 cmt_1 of another record (Ada)',
  ])
  assert.equal(titleOf('tsk_1'), 'Third')
})

const ROUNDS = 5
const EVENTS_PER_ROUND = 40
const TASKS = 7

test('a receiver killed at any moment handles every confirmed event, and none twice', async (t) => {
  const { start, post, printed, titleOf } = createReceiver()
  const events = Array.from({ length: ROUNDS * EVENTS_PER_ROUND }, (_, at) =>
    createReceiverEvent(`tsk_${at % TASKS}`, at + 1, `Title ${at}`),
  )
  const confirmed = new Set<ReceiverEvent>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const end = await start()
    t.after(() => end('SIGKILL'))
    // Events of earlier rounds are sent again, as if their confirmation had been lost.
    const posted = [
      ...confirmed,
      ...events.slice(round * EVENTS_PER_ROUND, (round + 1) * EVENTS_PER_ROUND),
    ]
    const before = confirmed.size
    let ended: Promise<unknown> | undefined
    const sendNext = async () => {
      for (let event = posted.shift(); event && !ended; event = posted.shift()) {
        const status = await post(event).catch(() => undefined)
        if (status === 204) confirmed.add(event)
        if (confirmed.size === before + EVENTS_PER_ROUND / 2) ended ??= end('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: 8 }, sendNext))
    assert.ok(ended, 'the receiver was killed while events came')
    await ended
  }

  const end = await start()
  t.after(() => end('SIGKILL'))
  const rest = events.filter((event) => !confirmed.has(event))
  assert.ok(rest.length >= ROUNDS, `${rest.length} were not confirmed`)
  for (const event of rest) assert.equal(await post(event), 204)
  assert.equal(await end('SIGTERM'), 0)

  const times = Map.groupBy(printed(), (line) => line.split(' ')[1])
  for (const event of events) assert.ok(times.has(event.id), `${event.sequence} is lost`)
  const repeated = [...times.values()].filter((lines) => lines.length > 1)
  assert.ok(repeated.length <= ROUNDS, `${repeated.length}: more than were under way at the kills`)
  for (const { id, title } of events.slice(-TASKS).map(({ data }) => data)) {
    assert.equal(titleOf(id ?? ''), title)
  }
})

test('handles confirmed events after a restart, in order', async () => {
  const { start, insertConfirmed, printed, titleOf } = createReceiver()
  await (await start())('SIGTERM')
  for (const sequence of [3, 1, 2])
    insertConfirmed(createReceiverEvent('tsk_1', sequence, `Title ${sequence}`))
  await (await start())('SIGTERM')
  const sequences = printed().map((line) => line.split(' ')[0])
  assert.deepEqual(sequences, ['1', '2', '3'])
  assert.equal(titleOf('tsk_1'), 'Title 3')
})
