import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { NotifyChannel } from '#db/events/notify-channel.ts'
import { atEnd, createEmptyDatabase } from '../support/engines/test-database.ts'
import { tcpUrlOf } from '../support/postgres/embedded-postgres.ts'
import { waitUntil } from '../support/system/wait-until.ts'

/** Opens a channel, and records its messages and connections. */
function open(url: string, beatMs: number) {
  const [received, times]: [unknown[], { opened: number; closed: number }] = [
    [],
    { opened: 0, closed: 0 },
  ]
  const channel = new NotifyChannel({
    url,
    beatMs,
    onMessage: (message) => received.push(message),
    onOpen() {
      times.opened += 1
    },
    onClose() {
      times.closed += 1
    },
  })
  atEnd(() => channel.close())
  return { channel, received, times }
}

test('delivers messages to the other processes completely and in order, and reconnects', async (t) => {
  const { url, admin } = await createEmptyDatabase()
  const beatMs = 1_000
  t.mock.timers.enable({ apis: ['setInterval'] })
  const [one, other] = [open(url, beatMs), open(url, beatMs)]
  await waitUntil('messages and connections', () => one.channel.isOpen && other.channel.isOpen)
  const messages = Array.from({ length: 200 }, (_, at) => ({ at, words: 'é'.repeat(at * 15) }))
  for (const message of messages) one.channel.send(message)
  await waitUntil('messages and connections', () => other.received.length >= messages.length)
  assert.deepEqual(other.received, messages)
  assert.deepEqual(one.received, [], 'nobody hears what was said here')
  await admin.query('listen docket')
  let beats = 0
  admin.on('notification', ({ payload }) => {
    if (payload?.endsWith(' []')) beats += 1
  })
  for (let turn = 1; turn <= 3; turn += 1) {
    t.mock.timers.tick(beatMs)
    await waitUntil('the beats of both', () => beats === 2 * turn)
    // A message is received after the beat that was sent before.
    one.channel.send({ turn })
    other.channel.send({ turn })
    await waitUntil('messages after the beats', () =>
      [one, other].every(({ received }) => isDeepStrictEqual(received.at(-1), { turn })),
    )
  }
  assert.deepEqual(one.times, { opened: 1, closed: 0 })

  // Ignores messages that it cannot parse, and reconnects after its connection was terminated.
  await admin.query("select pg_notify('docket', 'not from here')")
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'docket-channel' and datname = current_database()`)
  await waitUntil(
    'messages and connections',
    () => one.times.opened === 2 && other.times.opened === 2,
  )
  assert.deepEqual(one.times, { opened: 2, closed: 1 })
  one.channel.send({ again: true })
  await waitUntil('the message on the new connection', () =>
    isDeepStrictEqual(other.received.at(-1), { again: true }),
  )
})

test('a process that is late itself keeps its connection', async () => {
  const { url } = await createEmptyDatabase()
  const { channel, times } = open(url, 200)
  await waitUntil('the connection', () => channel.isOpen)
  for (let turn = 0; turn < 3; turn += 1) {
    // Long enough for the echo of a beat to come, and for the next beat to be due.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    await nextTurn()
  }
  assert.deepEqual(times, { opened: 1, closed: 0 })
})

test('a connection without notifications, as behind a pooler, counts as closed', async () => {
  const address = tcpUrlOf((await createEmptyDatabase()).url)
  const pooler = createServer((socket) => {
    const upstream = connect(Number(address.port), address.hostname)
    let rest = Buffer.alloc(0)
    upstream.on('data', (chunk: Buffer<ArrayBuffer>) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, rest.readUInt32BE(1) + 1)
        rest = rest.subarray(message.length)
        if (message[0] !== NOTIFICATION_MESSAGE) socket.write(message)
      }
    })
    socket.pipe(upstream)
    for (const end of [socket, upstream]) end.on('error', () => {})
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
    connections += 1
  })
  let connections = 0
  await once(pooler.listen(0, '127.0.0.1'), 'listening')
  atEnd(() => pooler.close())
  const throughPooler = new URL(address)
  throughPooler.port = String((pooler.address() as { port: number }).port)
  const { channel, times } = open(throughPooler.href, 200)
  await waitUntil('messages and connections', () => connections >= 2)
  assert.equal(channel.isOpen, false)
  assert.deepEqual(times, { opened: 0, closed: 0 })
  channel.close()
})

const NOTIFICATION_MESSAGE = 'A'.charCodeAt(0)
