import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '#lib/id.ts'
import { createReceiver, createReceiverEvent } from './example-receiver.ts'

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
