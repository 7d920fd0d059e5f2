import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventOf, newReceiver, type Sent } from './receiving.ts'

const ROUNDS = 5
const EACH = 40
const TASKS = 7

test('a receiver killed at any moment handles all it confirmed, and nothing again', async (t) => {
  const { start, post, printed, titleOf } = newReceiver()
  const events = Array.from({ length: ROUNDS * EACH }, (_, at) =>
    eventOf(`tsk_${at % TASKS}`, at + 1, `Title ${at}`),
  )
  const confirmed = new Set<Sent>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const end = await start()
    t.after(() => end('SIGKILL'))
    // Those of earlier rounds too, as if the confirmation had been lost on the way.
    const posted = [...confirmed, ...events.slice(round * EACH, (round + 1) * EACH)]
    const before = confirmed.size
    let ended: Promise<unknown> | undefined
    const lane = async () => {
      for (let event = posted.shift(); event && !ended; event = posted.shift()) {
        const status = await post(event).catch(() => undefined)
        if (status === 204) confirmed.add(event)
        if (confirmed.size === before + EACH / 2) ended ??= end('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
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
  const again = [...times.values()].filter((lines) => lines.length > 1)
  assert.ok(again.length <= ROUNDS, `${again.length}: more than were under way at the kills`)
  for (const { id, title } of events.slice(-TASKS).map(({ data }) => data)) {
    assert.equal(titleOf(id ?? ''), title)
  }
})

test('what was confirmed and not handled is handled at the next start, in order', async () => {
  const { start, leave, printed, titleOf } = newReceiver()
  await (await start())('SIGTERM')
  for (const sequence of [3, 1, 2]) leave(eventOf('tsk_1', sequence, `Title ${sequence}`))
  await (await start())('SIGTERM')
  const sequences = printed().map((line) => line.split(' ')[0])
  assert.deepEqual(sequences, ['1', '2', '3'])
  assert.equal(titleOf('tsk_1'), 'Title 3')
})
