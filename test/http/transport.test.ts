import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

let team: TestWorkspace
let port: number
let asOwner: string

before(async () => {
  const { storage, server } = await openTestDocket('sqlite')
  team = await createTestWorkspace(storage)
  port = await listenOnPort(server)
  asOwner = `Host: 127.0.0.1\r\nAuthorization: Bearer ${team.keys.owner}\r\n`
})

const codeOf = (body: string): string => JSON.parse(body).error.code

/** Sends one request and returns its only response. */
async function ask(line: string, headers = asOwner, body = '') {
  const { replies, closed, error } = await exchangeRaw(
    port,
    `${line} HTTP/1.1\r\n${headers}\r\n${body}`,
  )
  assert.equal(error, undefined)
  const reply = replies[0]
  assert.ok(reply, `${line} is answered`)
  return { ...reply, closed }
}

test('HEAD responds with the headers of GET and no body', async () => {
  const varying = /^(date|x-request-id|x-ratelimit-remaining|x-ratelimit-reset|server-timing)$/
  const stableHeaders = (headers: Record<string, string>) =>
    Object.entries(headers).filter(([name]) => !varying.test(name))
  for (const path of ['/api/v1/projects', `/api/v1/projects/${team.project}`, '/', '/healthz']) {
    for (const more of ['', 'Accept-Encoding: br\r\n']) {
      const get = await ask(`GET ${path}`, asOwner + more)
      const head = await ask(`HEAD ${path}`, asOwner + more)
      assert.equal(head.status, 200)
      assert.equal(head.body, '')
      assert.deepEqual(stableHeaders(head.headers), stableHeaders(get.headers), path)
    }
  }
})

test('an unknown method gets 405 with Allow, an unknown address 404, both without a credential', async () => {
  const host = 'Host: 127.0.0.1\r\n'
  for (const method of ['PUT', 'TRACE', 'QUERY', 'PROPFIND', 'DELETE']) {
    const { status, headers } = await ask(`${method} /api/v1/projects`, host)
    assert.equal(status, 405, method)
    assert.equal(headers.allow, 'GET, HEAD')
    assert.equal(headers['x-ratelimit-limit'], undefined)
  }
  assert.equal((await ask('POST /healthz', host)).status, 405)
  const misspelt = ['/api/v1/nothing', '/api/v1/projects/', '/api/v1//projects', '/api/v1/Projects']
  for (const path of [...misspelt, '/api/v1/../v1/projects', '/api/v1%2fprojects', '/api//']) {
    const { status, body, headers } = await ask(`GET ${path}`, host)
    assert.equal(status, 404, path)
    assert.equal(codeOf(body), 'route_not_found', path)
    assert.match(headers['x-request-id'] ?? '', /^req_/)
  }
})

test('OPTIONS allows CORS preflights of the public API only', async () => {
  const { status, headers } = await ask('OPTIONS /api/v1/projects', 'Host: 127.0.0.1\r\n')
  assert.equal(status, 204)
  assert.equal(headers.allow, 'GET, HEAD')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['access-control-max-age'], '86400')
  assert.equal(headers['access-control-allow-credentials'], undefined)
  const health = await ask('OPTIONS /healthz', 'Host: 127.0.0.1\r\n')
  assert.equal(health.headers['access-control-allow-origin'], undefined)
  assert.equal(health.headers['access-control-allow-methods'], undefined)
})

test('a URL that is too long gets 414, headers that are too large get 431 and a close', async () => {
  const longestUrl = `/api/v1/projects?${'a'.repeat(8_192 - 17)}`
  assert.equal((await ask(`GET ${longestUrl}`)).status, 400)
  assert.equal((await ask(`GET ${longestUrl}a`)).status, 414)
  const { replies, closed } = await exchangeRaw(
    port,
    `GET /healthz HTTP/1.1\r\n${asOwner}X-Long: ${'a'.repeat(16_384)}\r\n\r\n`,
    { keepsOpen: true },
  )
  assert.equal(replies[0]?.status, 431)
  assert.ok(closed)
})

test('malformed URLs get 404 with the usual response headers, outside the API as a page', async () => {
  for (const path of ['/api/v1/projects/%zz', '/api/v1/projects/%ff']) {
    const { status, headers, body } = await ask(`GET ${path}`)
    assert.equal(status, 404, path)
    assert.equal(headers['x-request-id'], JSON.parse(body).error.request_id)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['access-control-allow-origin'], '*')
  }
  for (const path of ['/w/%zz', '/docs/%zz']) {
    const { status, headers, body } = await ask(`GET ${path}`)
    assert.equal(status, 404, path)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(body, /^<!doctype html>/i, path)
  }
  for (const engine of ['sqlite', 'postgres'] as const) {
    const { storage, server } = await openTestDocket(engine)
    const { keys } = await createTestWorkspace(storage)
    const headers = { authorization: `Bearer ${keys.owner}` }
    const { statusCode } = await server.inject({ url: '/api/v1/projects/%00', headers })
    assert.equal(statusCode, 404, engine)
  }
})

test('rejects malformed HTTP and conflicting lengths (request smuggling) and closes the connection', async () => {
  const post = `POST /api/v1/projects/x/tags HTTP/1.1\r\n${asOwner}Content-Type: application/json\r\n`
  const cases = [
    'hello\r\n\r\n',
    'GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n',
    'GET /healthz HTTP/1.1\r\n\r\n',
    `GET /healthz HTTP/1.1\r\n${asOwner}X-A: a\0b\r\n\r\n`,
    `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":}`,
    `${post}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
  ]
  for (const text of cases) {
    const { replies, closed } = await exchangeRaw(port, text, { keepsOpen: true })
    assert.equal(replies[0]?.status, 400, JSON.stringify(text))
    assert.ok(closed, JSON.stringify(text))
  }
  const { replies, closed } = await exchangeRaw(port, 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', {
    keepsOpen: true,
  })
  assert.equal(replies[0]?.status, 405)
  assert.ok(closed)
})

test('replies to malformed HTTP behind a request only after the reply to the request', async () => {
  const read = `GET /api/v1/projects HTTP/1.1\r\n${asOwner}\r\n`
  const options = { keepsOpen: true }
  const { replies, closed } = await exchangeRaw(port, `${read}hello\r\n\r\n`, options)
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 400],
  )
  assert.ok(closed)
  // A stream has no end, so its connection just closes.
  const stream = `GET /api/v1/changes?after=now HTTP/1.1\r\nAccept: text/event-stream\r\n${asOwner}\r\n`
  const socket = connect(port, '127.0.0.1', () => socket.write(stream))
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  await waitUntil('the stream has begun', () => received.includes('HTTP/1.1 200'))
  socket.write('hello\r\n\r\n')
  await once(socket, 'close')
  assert.doesNotMatch(received, /HTTP\/1\.1 400/)
})

test('a foreign Host gets 421 while Docket serves only this machine (DNS rebinding)', async () => {
  for (const host of ['evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'localhost.evil']) {
    const { status, body } = await ask('GET /api/v1/projects', `Host: ${host}\r\n`)
    assert.equal(status, 421, host)
    assert.equal(codeOf(body), 'misdirected_request')
  }
  for (const host of ['localhost:4000', 'docket.localhost', '[::1]:80', '127.9.9.9']) {
    assert.equal((await ask('GET /healthz', `Host: ${host}\r\n`)).status, 200, host)
  }
})

test('ignores a body with GET, HEAD or DELETE', async () => {
  const oddHeaders = `${asOwner}Content-Type: ;;;\r\nContent-Encoding: gzip\r\n`
  for (const [method, status] of [
    ['GET', 200],
    ['HEAD', 200],
    ['DELETE', 404],
  ] as const) {
    const path = method === 'DELETE' ? '/api/v1/tags/tag_x' : '/api/v1/projects'
    const body = 'x'.repeat(3_000_000)
    const text = `${method} ${path} HTTP/1.1\r\n${oddHeaders}Content-Length: ${body.length}\r\n\r\n${body}`
    const next = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
    const { replies } = await exchangeRaw(port, text + next, { replies: 2 })
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [status, 200],
      method,
    )
  }
})

test('a wrong Content-Type gets 415, and case does not matter', async () => {
  const path = `/api/v1/projects/${team.project}/tags`
  const wrong = ['', ';;;', 'foo bar', 'application/json\ta', 'application/json; charset=utf-16']
  for (const type of [...wrong, 'text/json', 'application/json, text/plain']) {
    const headers = `${asOwner}Content-Type: ${type}\r\nContent-Length: 2\r\n`
    assert.equal((await ask(`POST ${path}`, headers, '{}')).status, 415, type)
  }
  const twice = `${asOwner}Content-Type: application/json\r\nContent-Type: text/plain\r\n`
  assert.equal((await ask(`POST ${path}`, `${twice}Content-Length: 2\r\n`, '{}')).status, 415)
  const right = 'Content-Type: APPLICATION/JSON; Charset="UTF-8"\r\nContent-Length: 2\r\n'
  assert.equal((await ask(`POST ${path}`, asOwner + right, '{}')).status, 422)
  const unknown = await ask(
    'PUT /api/v1/projects',
    `${asOwner}Content-Type: ;\r\nContent-Length: 2\r\n`,
  )
  assert.equal(unknown.status, 405)
})

test('an empty chunked body counts as no body, whatever its type', async () => {
  const task = await ask(
    'POST /api/v1/tasks',
    `${asOwner}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`,
    `${toChunk(JSON.stringify({ project_id: team.project, title: 'In chunks' }))}0\r\n\r\n`,
  )
  assert.equal(task.status, 201)
  const path = `/api/v1/tasks/${JSON.parse(task.body).id}/complete`
  const chunked = `${asOwner}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n`
  assert.equal((await ask(`POST ${path}`, chunked, `${toChunk('x')}0\r\n\r\n`)).status, 415)
  assert.equal((await ask(`POST ${path}`, chunked, '0\r\n\r\n')).status, 200)
})

const toChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

test('rejects a duplicate Host header', async () => {
  const twice = 'Host: 127.0.0.1\r\nHost: evil.example\r\n'
  assert.equal((await ask('GET /healthz', twice)).status, 400)
})

test('accepts the absolute form of a request target, whose host replaces the Host header', async () => {
  const me = await ask('GET http://127.0.0.1/api/v1/me', asOwner)
  assert.equal(me.status, 200, me.body)
  const query = await ask('GET HTTP://127.0.0.1/api/v1/projects?limit=1', asOwner)
  assert.equal(JSON.parse(query.body).data.length, 1)
  assert.equal((await ask('GET http://127.0.0.1')).status, 200)
  assert.equal((await ask('GET http://127.0.0.1/api/v1/nowhere')).status, 404)
  // Against DNS rebinding, the host of the target counts.
  assert.equal((await ask('GET http://evil.example/api/v1/me', asOwner)).status, 421)
  for (const target of ['ftp://127.0.0.1/', 'http:///x', 'http://a@127.0.0.1/', 'api/v1/me'])
    assert.equal((await ask(`GET ${target}`, asOwner)).status, 400, target)
})
