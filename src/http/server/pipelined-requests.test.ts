import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { serveInTurn } from './pipelined-requests.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** Sends requests in one piece; `begun` has the responses to those that are served. */
async function sendTogether(t: TestContext, count: number) {
  const begun: ServerResponse[] = []
  let read = 0
  const serve = serveInTurn((_, response) => begun.push(response))
  const server = createServer((request, response) => {
    read += 1
    serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  t.after(() => {
    client.destroy()
    server.close()
  })
  client.on('error', () => {}).write(REQUEST.repeat(count))
  await waitUntil('all requests', () => read === count)
  return { begun, client }
}

test('serves a pipelined request when the reply before it has left', async (t) => {
  const { begun, client } = await sendTogether(t, 3)
  let text = ''
  client.on('data', (chunk) => {
    text += chunk
  })
  for (const [index, count] of [1, 2, 3].entries()) {
    await waitUntil(`request ${count}`, () => begun.length === count)
    begun[index]?.end(`reply ${count}.`)
  }
  await waitUntil('all replies', () => text.includes('reply 3.'))
  assert.match(text, /reply 1\..*reply 2\..*reply 3\./s)
})

test('closes a connection on which more than 32 requests wait', async (t) => {
  const { begun } = await sendTogether(t, 33)
  begun[0]?.end()
  await waitUntil('the second', () => begun.length === 2)
  const { client } = await sendTogether(t, 34)
  await waitUntil('the end of the connection', () => client.destroyed)
})
