import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { docket, Refused } from '../../examples/git-history/docket.ts'

type Answer = (reply: ServerResponse) => void

const says =
  (status: number, headers: Record<string, string>, body: object): Answer =>
  (reply) =>
    reply.writeHead(status, headers).end(JSON.stringify(body))
const problem = (code: string) => ({ error: { code, message: code, details: [] } })
const fine = says(201, {}, { id: 'tsk_1' })

/** A server that gives these answers in turn, and the requests that it got. */
async function answering(t: { after: (work: () => void) => void }, answers: Answer[]) {
  const got: { at: number; key: unknown; socket: unknown }[] = []
  const server = createServer((request: IncomingMessage, reply) => {
    got.push({ at: Date.now(), key: request.headers['idempotency-key'], socket: request.socket })
    request.resume().on('end', () => answers.shift()?.(reply))
  }).listen(0, '127.0.0.1')
  t.after(() => void server.closeAllConnections())
  t.after(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const waits: string[] = []
  const onWait = (_: number, why: string) => void waits.push(why)
  const api = docket({ url: `http://127.0.0.1:${port}`, key: 'k', word: '', onWait })
  return { api, got, waits }
}

test('a request without an outcome is sent again with the same key', async (t) => {
  const busy = says(503, { 'retry-after': '1' }, problem('unavailable'))
  const under = says(409, { 'retry-after': '1' }, problem('idempotency_in_progress'))
  const cut: Answer = (reply) => reply.destroy()
  const { api, got, waits } = await answering(t, [cut, busy, under, fine])
  const { body } = await api.post<{ id: string }>('/api/v1/tasks', { title: 'x' })
  assert.equal(body.id, 'tsk_1')
  assert.match(String(got[0]?.key), /^git-history-[\w-]{43}$/)
  assert.equal(new Set(got.map(({ key }) => key)).size, 1)
  assert.ok((got[2]?.at ?? 0) - (got[1]?.at ?? 0) >= 990, 'Retry-After is kept')
  assert.equal(waits.length, 3)
  assert.equal(api.counted.requests, 4)
})

test('after a 429 every request waits, also those that were not refused', async (t) => {
  const limited = says(429, { 'retry-after': '1' }, problem('rate_limit_exceeded'))
  const { api, got } = await answering(t, [limited, fine, fine])
  const one = api.post('/api/v1/tasks', { title: 'one' })
  while (api.counted.limited === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await Promise.all([one, api.post('/api/v1/tasks', { title: 'two' })])
  const [refused, ...later] = got.map(({ at }) => at)
  for (const at of later) assert.ok(at - (refused ?? 0) >= 990)
})

test('what is left of a minute is not overdrawn', async (t) => {
  const reset = Math.floor(Date.now() / 1000) + 2
  const last = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }
  const { api, got } = await answering(t, [says(200, last, {}), says(200, {}, {})])
  await api.get('/api/v1/me')
  await api.get('/api/v1/me')
  assert.ok((got[1]?.at ?? 0) >= reset * 1000)
  assert.equal(got[0]?.socket, got[1]?.socket, 'the connection is kept')
})

test('a refusal is not repeated, and says what is wrong', async (t) => {
  const { api, got } = await answering(t, [says(403, {}, problem('insufficient_scope'))])
  await assert.rejects(api.get('/api/v1/me'), (error) => {
    return error instanceof Refused && /403 insufficient_scope/.test(error.message)
  })
  assert.equal(got.length, 1)
})
