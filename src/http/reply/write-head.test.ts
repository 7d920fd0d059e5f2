import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { afterFile } from '#test/support/runner/cleanup.ts'
import { KEEP_ALIVE_TIMEOUT_MS, writeHead } from './write-head.ts'

/** The status and headers of a reply by the path of its request. */
const REPLIES: Record<string, { status: number; headers: OutgoingHttpHeaders }> = {
  '/record': {
    status: 200,
    headers: { 'x-request-id': 'req_1', etag: '"1-0a"', 'content-length': 4, vary: 'Accept' },
  },
  '/created': { status: 201, headers: { location: 'https://example.org/ü', 'content-length': 4 } },
  '/cookies': { status: 200, headers: { 'set-cookie': ['a=1', 'b=2'], 'content-length': 4 } },
  '/missing': { status: 404, headers: { 'content-length': 4 } },
  '/unchanged': { status: 304, headers: { etag: '"1-0a"' } },
  '/deleted': { status: 204, headers: {} },
  '/last': { status: 503, headers: { connection: 'close', 'content-length': 4 } },
}

const REQUEST_HEADS = [
  ...Object.keys(REPLIES).map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n`),
  'HEAD /record HTTP/1.1\r\nHost: a\r\n',
  'GET /record HTTP/1.0\r\n',
  'GET /record HTTP/1.0\r\nConnection: keep-alive\r\n',
  'GET /record HTTP/1.1\r\nHost: a\r\nConnection: close\r\n',
  'GET /record HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n',
]

async function startServer(listener: RequestListener): Promise<number> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterFile(async () => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The bytes of the replies to a request and to one more on the same connection, without dates. */
async function exchange(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head}\r\nGET /record HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks)
    .toString('latin1')
    .replaceAll(/^Date: .*$/gm, 'Date: now')
}

test('a head that is written as text has the bytes that Node would write', async () => {
  const reply =
    (write: typeof writeHead): RequestListener =>
    (request, response) => {
      const { status, headers } = REPLIES[request.url ?? ''] ?? { status: 500, headers: {} }
      write(request, response, status, headers)
      response.end('body')
    }
  const asText = await startServer(reply(writeHead))
  const byNode = await startServer(
    reply((_, response, status, headers) => response.writeHead(status, headers)),
  )
  for (const head of REQUEST_HEADS) {
    const [actual, expected] = [await exchange(asText, head), await exchange(byNode, head)]
    assert.ok(expected.startsWith('HTTP/1.1 '), head)
    assert.equal(actual, expected, head)
  }
})

test('refuses a header value that would begin another header', async () => {
  const port = await startServer((request, response) => {
    try {
      writeHead(request, response, 200, { etag: 'a\r\nset-cookie: b' })
    } catch {
      response.writeHead(500).end()
    }
  })
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 500)
})
