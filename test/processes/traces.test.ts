import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collector, type Told } from '../support/collector.ts'
import { receiver } from '../support/delivering.ts'
import { emptyDir } from '../support/dir.ts'
import { ENGINES } from '../support/engines.ts'
import { mailServer } from '../support/mail.ts'
import { end, type Start, settle, start } from '../support/process.ts'
import { atEnd, migratedDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

type Env = Record<string, string>

/** A server with somebody in it, what it logs, and how it is asked. */
async function docket(env: Env, options: Start = {}) {
  const dataDir = emptyDir()
  const home = await settle(dataDir, env)
  const more = { DOCKET_LOG_LEVEL: 'info', ...env }
  const running = await start(dataDir, { ...options, env: more })
  atEnd(() => end(running, 'SIGKILL'))
  const url = `http://127.0.0.1:${running.port}`
  const ask = (path: string, headers: Env = {}, body?: object) =>
    fetch(url + path, {
      headers: {
        authorization: `Bearer ${home.keys.owner}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  return { home, running, url, ask, log: running.said }
}

const REMOTE = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
const sampled = (flags: string) => ({ traceparent: `00-${REMOTE.trace}-${REMOTE.span}-${flags}` })
const CANARY = 'CANARY'

for (const engine of ENGINES) {
  test(`a write, its statements, its delivery and its log line are of one trace (${engine})`, async () => {
    const to = await collector()
    const hook = await receiver()
    const { home, ask, log } = await docket({
      ...(engine === 'postgres' && { DOCKET_DATABASE_URL: (await migratedDatabase()).url }),
      OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${CANARY}%20of%20the%20collector`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    const wish = { url: `${hook.url}?key=${CANARY}-of-the-receiver`, events: ['task.created'] }
    assert.equal((await ask('/api/v1/webhooks', {}, wish)).status, 201)
    const headers = { ...sampled('01'), 'idempotency-key': `${CANARY}-key` }
    const task = { project_id: home.project, title: `${CANARY} in the title` }
    const made = await ask('/api/v1/tasks', headers, task)
    assert.equal(made.status, 201)
    await ask(`/api/v1/tasks?q=${CANARY}`)
    await ask(`/api/v1/projects/${CANARY}`)

    const attempt = await to.span('POST webhook')
    const request = await to.span('POST /api/v1/tasks')
    const write = await to.span('write transaction', ({ parent }) => parent === request.id)
    assert.deepEqual(
      [request.parent, request.kind, request.attributes['http.response.status_code']],
      [undefined, 2, 201],
    )
    assert.equal(request.attributes['docket.request_id'], made.headers.get('x-request-id'))
    assert.equal(request.attributes['docket.workspace_id'], home.workspace)
    const [link] = request.links
    assert.deepEqual([link?.traceId, link?.spanId], [REMOTE.trace, REMOTE.span], 'only linked')
    assert.notEqual(request.trace, REMOTE.trace)

    const below = (span: Told) => to.spans.filter(({ parent }) => parent === span.id)
    const inWrite = below(write).map(({ name }) => name)
    for (const name of ['wait for the group', 'insert tasks', 'commit']) {
      assert.ok(inWrite.includes(name), `${name} in ${inWrite}`)
    }
    assert.ok(below(request).some(({ name }) => name === 'check the limit'))
    const statement = below(write).find(({ name }) => name === 'insert tasks')
    const system = engine === 'postgres' ? 'postgresql' : 'sqlite'
    assert.equal(statement?.attributes['db.system.name'], system)
    assert.match(String(statement?.attributes['db.query.text']), /^insert into "tasks"/)

    assert.deepEqual([attempt.trace, attempt.parent], [request.trace, write.id])
    assert.deepEqual(
      [attempt.attributes['server.address'], attempt.attributes['http.response.status_code']],
      ['127.0.0.1', 200],
    )
    assert.ok(!('traceparent' in (hook.got[0]?.headers ?? {})), 'a receiver hears of no trace')

    await until('the line of the request', async () => log().includes(request.id))
    const line = log()
      .split('\n')
      .find((one) => one.includes(request.id))
    assert.equal(JSON.parse(line ?? '').trace_id, request.trace)
    const chore = await to.span('chore: deleted files')
    assert.equal(chore.parent, undefined)

    const [first] = to.headers
    assert.equal(first?.['x-key'], `${CANARY} of the collector`)
    assert.equal(first?.path, '/v1/traces')
    const { 'service.name': service, 'deployment.environment.name': place } = to.resource
    assert.deepEqual([service, place], ['docket', 'test'])
    assert.ok(!to.raw.includes(CANARY), 'nothing that was sent or is secret is told')
    assert.ok(!to.raw.includes(home.keys.owner) && !log().includes(CANARY))
  })
}

test('a trusted client goes on with its trace, and says whether it is taken', async () => {
  const to = await collector()
  const mails = await mailServer()
  atEnd(mails.close)
  const { ask, home, url, running } = await docket({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${to.url}/own/path`,
    OTEL_SERVICE_NAME: 'tasks of the house',
    DOCKET_TRUST_TRACEPARENT: '1',
    DOCKET_SMTP_URL: mails.url,
    DOCKET_MAIL_FROM: 'docket@example.com',
  })
  await ask('/api/v1/me', sampled('00'))
  await ask('/api/v1/projects', sampled('01'))
  const email = (await (await ask('/api/v1/me')).json()).user.email
  const asked = await fetch(`${url}/internal/password-resets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email }),
  })
  assert.equal(asked.status, 202, await asked.text())
  await mails.next()
  const projects = await to.span('GET /api/v1/projects')
  assert.deepEqual([projects.trace, projects.parent], [REMOTE.trace, REMOTE.span])
  const mail = await to.span('send a mail')
  const reset = await to.span('POST /internal/password-resets')
  assert.deepEqual([mail.trace, mail.parent], [reset.trace, reset.id])
  assert.ok(!to.raw.includes(email) && !to.raw.includes(home.keys.owner))
  const taken = to.spans.filter(({ name }) => name === 'GET /api/v1/me')
  assert.deepEqual(
    taken.map(({ trace }) => trace === REMOTE.trace),
    [false],
  )
  assert.deepEqual(
    [to.headers[0]?.path, to.resource['service.name']],
    ['/own/path', 'tasks of the house'],
  )
  assert.equal(await end(running, 'SIGTERM'), 0)
})

test('a failure is one in the trace, without what it says', async () => {
  const to = await collector()
  const { ask } = await docket(
    { OTEL_EXPORTER_OTLP_ENDPOINT: to.url },
    { entry: 'test/support/failing-reads.ts' },
  )
  assert.equal((await ask('/api/v1/projects')).status, 500)
  const request = await to.span('GET /api/v1/projects')
  assert.deepEqual([request.status, request.attributes['error.type']], [2, '500'])
  const read = await to.span('read transaction', ({ status }) => status === 2)
  assert.deepEqual([read.parent, read.attributes['error.type']], [request.id, 'TypeError'])
  assert.ok(!to.raw.includes(CANARY))
})

const FAULTS: [what: string, env: (to: { url: string }) => Env][] = [
  ['hangs', ({ url }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })],
  ['is gone', () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })],
]
for (const [what, env] of FAULTS) {
  test(`a collector that ${what} is nothing to a request, a stop or the memory`, async () => {
    const to = await collector()
    to.answer = () => {}
    const { ask, running, log } = await docket({
      ...env(to),
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${CANARY}`,
    })
    const counted = async (outcome: string) => {
      const text = await (await ask('/metrics')).text()
      return Number(new RegExp(`spans_total{outcome="${outcome}"} (\\d+)`).exec(text)?.[1])
    }
    let asked = 0
    const crowd = async () => {
      while (asked < 2_000) {
        asked += 1
        assert.equal((await ask('/api/v1/me')).status, 200)
      }
    }
    await Promise.all(Array.from({ length: 8 }, crowd))
    assert.ok((await counted('dropped')) > 1_000, 'what has no room is dropped, and counted')
    assert.equal(await counted('sent'), 0)
    // Before a hung collector would be given up.
    const ended = end(running, 'SIGTERM')
    await until('the stop', () => running.child.exitCode !== null)
    assert.equal(await ended, 0)
    assert.ok(!log().includes(CANARY))
  })
}

test('without a collector nothing of it is loaded', async () => {
  const entry = 'test/support/loaded.ts'
  const to = await collector()
  const servers = [
    await docket({}, { entry }),
    await docket({ OTEL_EXPORTER_OTLP_ENDPOINT: to.url }, { entry }),
  ]
  const loaded: number[] = []
  for (const { ask, running, log } of servers) {
    assert.equal((await ask('/api/v1/me')).status, 200)
    running.child.kill('SIGUSR2')
    await until('how many are loaded', async () => /loaded: \d+/.test(log()))
    loaded.push(Number(/loaded: (\d+)/.exec(log())?.[1]))
  }
  assert.ok(loaded[0] === 0 && (loaded[1] ?? 0) > 20, String(loaded))
})
