import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { NotifyChannel } from '#db/events/notify-channel.ts'
import { atEnd, createEmptyDatabase } from '../support/engines/test-database.ts'

const HEARTBEAT_INTERVAL_MS = 200

/** Opens a channel, and records its messages and connections. */
function open(url: string) {
  const [received, times]: [unknown[], { opened: number; closed: number }] = [
    [],
    { opened: 0, closed: 0 },
  ]
  const channel = new NotifyChannel({
    ...{ url, beatMs: HEARTBEAT_INTERVAL_MS },
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

async function until(done: () => boolean): Promise<void> {
  const end = performance.now() + 3_000
  while (!done()) {
    assert.ok(performance.now() < end)
    await pause(5)
  }
}

test('delivers messages to the other processes completely and in order, and reconnects', async () => {
  const { url, admin } = await createEmptyDatabase()
  const [one, other] = [open(url), open(url)]
  await until(() => one.channel.isOpen && other.channel.isOpen)
  const messages = Array.from({ length: 200 }, (_, at) => ({ at, words: 'é'.repeat(at * 15) }))
  for (const message of messages) one.channel.send(message)
  await until(() => other.received.length >= messages.length)
  assert.deepEqual(other.received, messages)
  assert.deepEqual(one.received, [], 'nobody hears what was said here')
  await pause(5 * HEARTBEAT_INTERVAL_MS)
  assert.deepEqual(one.times, { opened: 1, closed: 0 })

  // Ignores messages that it cannot parse, and reconnects after its connection was terminated.
  await admin.query("select pg_notify('docket', 'not from here')")
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'docket-channel' and datname = current_database()`)
  await until(() => one.times.opened === 2 && other.times.opened === 2)
  assert.deepEqual(one.times, { opened: 2, closed: 1 })
  one.channel.send({ again: true })
  await until(() => other.received.length > messages.length)
  assert.deepEqual(other.received.at(-1), { again: true })
})

test('a connection without notifications, as behind a pooler, counts as closed', async () => {
  const { url } = await createEmptyDatabase()
  const pooler = createServer((socket) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
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
  const address = new URL(url)
  address.port = String((pooler.address() as { port: number }).port)
  const { channel, times } = open(address.href)
  await until(() => connections >= 2)
  assert.equal(channel.isOpen, false)
  assert.deepEqual(times, { opened: 0, closed: 0 })
  channel.close()
})

const NOTIFICATION_MESSAGE = 'A'.charCodeAt(0)
