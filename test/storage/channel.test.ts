import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Channel } from '#storage/channel.ts'
import { atEnd, emptyDatabase } from '../support/store.ts'

const BEAT_MS = 200

/** A channel, what it has heard, and how often it was opened. */
function open(url: string) {
  const [heard, times]: [unknown[], { opened: number; closed: number }] = [
    [],
    { opened: 0, closed: 0 },
  ]
  const channel = new Channel({
    ...{ url, beatMs: BEAT_MS },
    heard: (message) => heard.push(message),
    opened() {
      times.opened += 1
    },
    closed() {
      times.closed += 1
    },
  })
  atEnd(() => channel.close())
  return { channel, heard, times }
}

async function until(done: () => boolean): Promise<void> {
  const end = performance.now() + 3_000
  while (!done()) {
    assert.ok(performance.now() < end)
    await pause(5)
  }
}

test('what is said is heard by the others whole and in order, on a connection that lasts', async () => {
  const { url, admin } = await emptyDatabase()
  const [one, other] = [open(url), open(url)]
  await until(() => one.channel.isOpen && other.channel.isOpen)
  const said = Array.from({ length: 200 }, (_, at) => ({ at, words: 'é'.repeat(at * 15) }))
  for (const message of said) one.channel.say(message)
  await until(() => other.heard.length >= said.length)
  assert.deepEqual(other.heard, said)
  assert.deepEqual(one.heard, [], 'nobody hears what was said here')
  await pause(5 * BEAT_MS)
  assert.deepEqual(one.times, { opened: 1, closed: 0 })

  // What is not understood is passed over, and a connection that ended is made anew.
  await admin.query("select pg_notify('docket', 'not from here')")
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'docket-channel' and datname = current_database()`)
  await until(() => one.times.opened === 2 && other.times.opened === 2)
  assert.deepEqual(one.times, { opened: 2, closed: 1 })
  one.channel.say({ again: true })
  await until(() => other.heard.length > said.length)
  assert.deepEqual(other.heard.at(-1), { again: true })
})

test('a connection on which nothing is heard, as behind a pooler, is as good as none', async () => {
  const { url } = await emptyDatabase()
  const pooler = createServer((socket) => {
    const there = connect(Number(new URL(url).port), '127.0.0.1')
    let rest = Buffer.alloc(0)
    there.on('data', (chunk: Buffer<ArrayBuffer>) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, rest.readUInt32BE(1) + 1)
        rest = rest.subarray(message.length)
        if (message[0] !== NOTIFICATION) socket.write(message)
      }
    })
    socket.pipe(there)
    for (const end of [socket, there]) end.on('error', () => {})
    socket.on('close', () => there.destroy())
    there.on('close', () => socket.destroy())
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

const NOTIFICATION = 'A'.charCodeAt(0)
