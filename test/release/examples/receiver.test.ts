import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '#lib/id.ts'
import { createReceiver, createReceiverEvent, type ReceiverEvent } from './example-receiver.ts'

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
