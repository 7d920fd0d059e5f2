import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fastify from 'fastify'
import { Registry } from 'prom-client'
import { listenOnPort } from '#test/support/server/raw-exchange.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { TRANSFER_TIMEOUTS } from '../request/transfer-timeouts.ts'
import { cutSlowReaders, readSendQueues } from './slow-readers.ts'

/** Far more than all socket buffers hold. What fills them may count in the first window, and never in the second. */
const PAGE = Buffer.alloc(24 * 1_024 * 1_024)
const KIBIBYTE = 1_024
const SECONDS_OF_WINDOW = TRANSFER_TIMEOUTS.rateWindowMs / 1_000

/** Serves one reply to a client that reads nothing by itself. */
async function openReply(t: TestContext, write: (raw: ServerResponse) => void) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const registry = new Registry()
  const server = fastify()
  let queues = Promise.resolve<Awaited<ReturnType<typeof readSendQueues>>>(new Map())
  cutSlowReaders(server, { registry, timeouts: TRANSFER_TIMEOUTS }, () => {
    queues = readSendQueues()
    return queues
  })
  const sockets: Socket[] = []
  server.get('/', ({ raw }, reply) => {
    sockets.push(raw.socket)
    reply.hijack()
    write(reply.raw)
  })
  const client = connect(await listenOnPort(server), '127.0.0.1').pause()
  t.after(() => {
    client.destroy()
    return server.close()
  })
  client.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await waitUntil('the request', () => sockets.length === 1)
  return {
    client,
    isOpen: () => sockets.every(({ destroyed }) => !destroyed),
    waitForUnsentBytes: () =>
      waitUntil('bytes that wait', () => sockets.every(({ writableLength }) => writableLength > 0)),
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        t.mock.timers.tick(1_000)
        await queues
        await nextTurn()
      }
    },
    countCut: async () => /^docket_live_cut_total (\d+)$/m.exec(await registry.metrics())?.[1],
  }
}

test('cuts a reply that its client does not read for 30 seconds', async (t) => {
  const { isOpen, pass, waitForUnsentBytes, countCut } = await openReply(t, (raw) => raw.end(PAGE))
  await waitForUnsentBytes()
  await pass(SECONDS_OF_WINDOW)
  assert.ok(isOpen())
  await pass(SECONDS_OF_WINDOW + 1)
  assert.ok(!isOpen())
  assert.equal(await countCut(), '1')
})

test('cuts a stream of small pieces that is read a byte now and then', async (t) => {
  const { client, isOpen, pass, waitForUnsentBytes } = await openReply(t, (raw) => {
    const writeOn = () => {
      while (!raw.destroyed && raw.write(Buffer.alloc(1_000)));
    }
    raw.on('drain', writeOn)
    writeOn()
  })
  await waitForUnsentBytes()
  for (let second = 0; second <= 2 * SECONDS_OF_WINDOW; second += 1) {
    client.read(1)
    await pass(1)
  }
  assert.ok(!isOpen())
})

test('lets a client read one reply of many megabytes slowly, which the kernel takes in leaps', async (t) => {
  const { client, isOpen, pass, waitForUnsentBytes } = await openReply(t, (raw) => raw.end(PAGE))
  await waitForUnsentBytes()
  let readBytes = 0
  client.on('data', (chunk) => {
    readBytes += chunk.length
    client.pause()
  })
  for (let second = 1; second < 3 * SECONDS_OF_WINDOW; second += 1) {
    while (readBytes < second * 16 * KIBIBYTE) {
      client.resume()
      await once(client, 'data')
    }
    await pass(1)
    assert.ok(isOpen(), `after ${second} s`)
  }
  await waitForUnsentBytes()
})

test('keeps an idle stream whose client has taken everything', async (t) => {
  const { client, isOpen, pass } = await openReply(t, (raw) => raw.write(': hello\n\n'))
  client.resume()
  await waitUntil('the first bytes', () => client.bytesRead > 0)
  await pass(10 * SECONDS_OF_WINDOW)
  assert.ok(isOpen())
})
