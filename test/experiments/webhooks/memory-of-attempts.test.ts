import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createWebhookSender } from '#webhooks/sending/sender.ts'
import { formatHttpReply, startRawServer } from '../../support/services/raw-server.ts'

const HERE = { allowHttp: false, loopback: true, networks: [] }
setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

test('attempts leak no memory, whatever their outcome', async (t) => {
  const { port, connections } = await startRawServer(t, (socket, request) => {
    if (request.startsWith('POST /reset')) socket.resetAndDestroy()
    else if (request.startsWith('POST /huge')) {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.end(Buffer.alloc(200_000))
    } else socket.write(formatHttpReply(500, 'x'.repeat(3_000)))
  })
  // Resolves every name to this machine.
  const resolve = async () => ['127.0.0.1']
  const { send, close } = createWebhookSender({ targets: HERE, timeoutMs: 60_000, resolve })
  t.after(() => close())
  const post = (url: string) => send({ url, headers: {}, body: '{}' })
  const round = async (times: number) => {
    for (let at = 0; at < times; at += 1) {
      const urls = ['reset', 'huge', 'full', ''].map(
        (path) => `http://h${at % 40}.example:${port}/${path}`,
      )
      await Promise.all([...urls, 'http://10.0.0.1/', 'http://127.0.0.1:1/'].map(post))
      connections.length = 0
    }
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = await round(200)
  const grown = (await round(600)) - before
  assert.ok(grown < 3 * 1024 * 1024, `${grown} bytes`)
})
