import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createDocketClient, RequestRejectedError } from '../../examples/git-history/docket.ts'

type ReplyHandler = (reply: ServerResponse) => void

const replyWith =
  (status: number, headers: Record<string, string>, body: object): ReplyHandler =>
  (reply) =>
    reply.writeHead(status, headers).end(JSON.stringify(body))
const problem = (code: string) => ({ error: { code, message: code, details: [] } })
const createdReply = replyWith(201, {}, { id: 'tsk_1' })

/** Starts a server that sends these replies in turn and records the requests. */
async function startServerWithReplies(
  t: { after: (work: () => void) => void },
  replies: ReplyHandler[],
) {
  const requests: { at: number; key: unknown; socket: unknown }[] = []
  // Longer than the client waits between two requests.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request: IncomingMessage, reply) => {
    requests.push({
      at: Date.now(),
      key: request.headers['idempotency-key'],
      socket: request.socket,
    })
    request.resume().on('end', () => replies.shift()?.(reply))
  }).listen(0, '127.0.0.1')
  t.after(() => void server.closeAllConnections())
  t.after(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const waits: string[] = []
  const onWait = (_: number, why: string) => void waits.push(why)
  const api = createDocketClient({ url: `http://127.0.0.1:${port}`, key: 'k', keySalt: '', onWait })
  return { api, requests, waits }
}

test('retries a request without an outcome with the same Idempotency-Key', async (t) => {
  const busy = replyWith(503, { 'retry-after': '1' }, problem('unavailable'))
  const inProgress = replyWith(409, { 'retry-after': '1' }, problem('idempotency_in_progress'))
  const closeConnection: ReplyHandler = (reply) => reply.destroy()
  const { api, requests, waits } = await startServerWithReplies(t, [
    closeConnection,
    busy,
    inProgress,
    createdReply,
  ])
  const { body } = await api.post<{ id: string }>('/api/v1/tasks', { title: 'x' })
  assert.equal(body.id, 'tsk_1')
  assert.match(String(requests[0]?.key), /^git-history-[\w-]{43}$/)
  assert.equal(new Set(requests.map(({ key }) => key)).size, 1)
  assert.ok((requests[2]?.at ?? 0) - (requests[1]?.at ?? 0) >= 990, 'Retry-After is kept')
  assert.equal(waits.length, 3)
  assert.equal(api.counted.requests, 4)
})

test('after a 429 all requests wait for Retry-After', async (t) => {
  const limited = replyWith(429, { 'retry-after': '1' }, problem('rate_limit_exceeded'))
  const { api, requests } = await startServerWithReplies(t, [limited, createdReply, createdReply])
  const one = api.post('/api/v1/tasks', { title: 'one' })
  while (api.counted.limited === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await Promise.all([one, api.post('/api/v1/tasks', { title: 'two' })])
  const [refused, ...later] = requests.map(({ at }) => at)
  for (const at of later) assert.ok(at - (refused ?? 0) >= 990)
})

test('waits for the reset when x-ratelimit-remaining is 0', async (t) => {
  const reset = Math.floor(Date.now() / 1000) + 2
  const last = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }
  const { api, requests } = await startServerWithReplies(t, [
    replyWith(200, last, {}),
    replyWith(200, {}, {}),
  ])
  await api.get('/api/v1/me')
  await api.get('/api/v1/me')
  assert.ok((requests[1]?.at ?? 0) >= reset * 1000)
  assert.equal(requests[0]?.socket, requests[1]?.socket, 'the connection is kept')
})

test('a 403 is not retried, and names the error code', async (t) => {
  const { api, requests } = await startServerWithReplies(t, [
    replyWith(403, {}, problem('insufficient_scope')),
  ])
  await assert.rejects(api.get('/api/v1/me'), (error) => {
    return error instanceof RequestRejectedError && /403 insufficient_scope/.test(error.message)
  })
  assert.equal(requests.length, 1)
})
