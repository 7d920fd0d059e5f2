import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atEnd, createMigratedDatabase } from '../../support/engines/test-database.ts'
import { ENGINES } from '../../support/engines/test-docket.ts'
import {
  endServer,
  type ServerProcessOptions,
  seedDataDir,
  startServer,
} from '../../support/server/server-process.ts'
import { type CollectedSpan, startOtlpCollector } from '../../support/services/otlp-collector.ts'
import { startSmtpServer } from '../../support/services/smtp-server.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import { startDeliveryReceiver } from '../../support/webhooks/delivering-docket.ts'

type TraceEnv = Record<string, string>

/** Starts a server with a workspace, and returns how to send requests and read its log. */
async function startTraced(env: TraceEnv, options: ServerProcessOptions = {}) {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir, env)
  const more = { DOCKET_LOG_LEVEL: 'info', ...env }
  const running = await startServer(dataDir, { ...options, env: more })
  atEnd(() => endServer(running, 'SIGKILL'))
  const url = `http://127.0.0.1:${running.port}`
  const ask = (path: string, headers: TraceEnv = {}, body?: object) =>
    fetch(url + path, {
      headers: {
        authorization: `Bearer ${team.keys.owner}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  return { team, running, url, ask, log: running.readStderr }
}

const REMOTE_CONTEXT = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
const traceparentHeader = (flags: string) => ({
  traceparent: `00-${REMOTE_CONTEXT.trace}-${REMOTE_CONTEXT.span}-${flags}`,
})
const CANARY = 'CANARY'

for (const engine of ENGINES) {
  test(`a write, its statements, its delivery and its log line share a trace (${engine})`, async () => {
    const to = await startOtlpCollector()
    const hook = await startDeliveryReceiver()
    const { team, ask, log } = await startTraced({
      ...(engine === 'postgres' && { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url }),
      OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${CANARY}%20of%20the%20collector`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    const webhook = { url: `${hook.url}?key=${CANARY}-of-the-receiver`, events: ['task.created'] }
    assert.equal((await ask('/api/v1/webhooks', {}, webhook)).status, 201)
    const headers = { ...traceparentHeader('01'), 'idempotency-key': `${CANARY}-key` }
    const task = { project_id: team.project, title: `${CANARY} in the title` }
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
    assert.equal(request.attributes['docket.workspace_id'], team.workspace)
    const [link] = request.links
    assert.deepEqual(
      [link?.traceId, link?.spanId],
      [REMOTE_CONTEXT.trace, REMOTE_CONTEXT.span],
      'only linked',
    )
    assert.notEqual(request.trace, REMOTE_CONTEXT.trace)

    const below = (span: CollectedSpan) => to.spans.filter(({ parent }) => parent === span.id)
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
    assert.ok(
      !('traceparent' in (hook.deliveries[0]?.headers ?? {})),
      'a receiver hears of no trace',
    )

    await waitUntil('the line of the request', async () => log().includes(request.id))
    const line = log()
      .split('\n')
      .find((one) => one.includes(request.id))
    assert.equal(JSON.parse(line ?? '').trace_id, request.trace)
    const periodicJob = await to.span('periodic job: deleted files')
    assert.equal(periodicJob.parent, undefined)

    const [first] = to.headers
    assert.equal(first?.['x-key'], `${CANARY} of the collector`)
    assert.equal(first?.path, '/v1/traces')
    const { 'service.name': service, 'deployment.environment.name': place } = to.resource
    assert.deepEqual([service, place], ['docket', 'test'])
    assert.ok(!to.raw.includes(CANARY), 'nothing that was sent or is secret is told')
    assert.ok(!to.raw.includes(team.keys.owner) && !log().includes(CANARY))
  })
}

test('continues the trace of a trusted client and respects its sampling flag', async () => {
  const to = await startOtlpCollector()
  const mails = await startSmtpServer()
  atEnd(mails.close)
  const { ask, team, url, running } = await startTraced({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${to.url}/own/path`,
    OTEL_SERVICE_NAME: 'tasks of the house',
    DOCKET_TRUST_TRACEPARENT: '1',
    DOCKET_SMTP_URL: mails.url,
    DOCKET_MAIL_FROM: 'docket@example.com',
  })
  await ask('/api/v1/me', traceparentHeader('00'))
  await ask('/api/v1/projects', traceparentHeader('01'))
  const email = (await (await ask('/api/v1/me')).json()).user.email
  const asked = await fetch(`${url}/internal/password-resets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email }),
  })
  assert.equal(asked.status, 202, await asked.text())
  await mails.next()
  const projects = await to.span('GET /api/v1/projects')
  assert.deepEqual([projects.trace, projects.parent], [REMOTE_CONTEXT.trace, REMOTE_CONTEXT.span])
  const mail = await to.span('send a mail')
  const job = await to.span('job: password_reset_email')
  assert.deepEqual([mail.trace, mail.parent, job.parent], [job.trace, job.id, undefined])
  assert.ok(!to.raw.includes(email) && !to.raw.includes(team.keys.owner))
  const taken = to.spans.filter(({ name }) => name === 'GET /api/v1/me')
  assert.deepEqual(
    taken.map(({ trace }) => trace === REMOTE_CONTEXT.trace),
    [false],
  )
  assert.deepEqual(
    [to.headers[0]?.path, to.resource['service.name']],
    ['/own/path', 'tasks of the house'],
  )
  assert.equal(await endServer(running, 'SIGTERM'), 0)
})

test('records an error in the trace without its message', async () => {
  const to = await startOtlpCollector()
  const { ask } = await startTraced(
    { OTEL_EXPORTER_OTLP_ENDPOINT: to.url },
    { entry: 'test/support/server-variants/failing-reads.ts' },
  )
  assert.equal((await ask('/api/v1/projects')).status, 500)
  const request = await to.span('GET /api/v1/projects')
  assert.deepEqual([request.status, request.attributes['error.type']], [2, '500'])
  const read = await to.span('read transaction', ({ status }) => status === 2)
  assert.deepEqual([read.parent, read.attributes['error.type']], [request.id, 'TypeError'])
  assert.ok(!to.raw.includes(CANARY))
})

const COLLECTOR_FAULTS: [what: string, env: (to: { url: string }) => TraceEnv][] = [
  ['hangs', ({ url }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })],
  ['is gone', () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })],
]
for (const [what, env] of COLLECTOR_FAULTS) {
  test(`a collector that ${what} affects neither requests nor a stop nor memory`, async () => {
    const to = await startOtlpCollector()
    to.answer = () => {}
    const { ask, team, running, log } = await startTraced({
      ...env(to),
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${CANARY}`,
    })
    const counted = async (outcome: string) => {
      const text = await (await ask('/metrics')).text()
      return Number(new RegExp(`spans_total{outcome="${outcome}"} (\\d+)`).exec(text)?.[1])
    }
    // Requests of many statements, because the queue has room for thousands of spans.
    const data = { project_id: team.project, title: 'One of many' }
    const operations = Array(12).fill({ op: 'create', data })
    const sendRequests = async () => {
      for (let asked = 0; asked < 4; asked += 1)
        assert.equal((await ask('/api/v1/tasks/bulk', {}, { operations })).status, 200)
    }
    await waitUntil('what has no room is dropped, and counted', async () => {
      await Promise.all(Array.from({ length: 4 }, sendRequests))
      return (await counted('dropped')) > 100
    })
    assert.equal(await counted('sent'), 0)
    // The stop must be faster than the time-out of a collector that hangs.
    const ended = endServer(running, 'SIGTERM')
    await waitUntil('the stop', () => running.child.exitCode !== null)
    assert.equal(await ended, 0)
    assert.ok(!log().includes(CANARY))
  })
}

/** What only some installations use, and what only some requests need. */
const OPTIONAL_PACKAGES =
  /^(oidc-provider|openid-client|oauth4webapi|jose|@opentelemetry\/(?!api$).*|aws4fetch|nodemailer|@simplewebauthn\/.*|csv-parse|yauzl|uqr|pg|undici.*|mdast-.*|micromark.*)$/

test('loads optional packages only when they are needed', async () => {
  const entry = 'test/support/server-variants/listed-packages.ts'
  const to = await startOtlpCollector()
  const servers = [
    await startTraced({}, { entry }),
    await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: to.url }, { entry }),
  ]
  const loaded: string[][] = []
  for (const { ask, running, log } of servers) {
    assert.equal((await ask('/api/v1/me')).status, 200)
    running.child.kill('SIGUSR2')
    await waitUntil('which are loaded', async () => /loaded: .*\n/.test(log()))
    loaded.push(JSON.parse(/loaded: (.*)\n/.exec(log())?.[1] ?? ''))
  }
  const [plain = [], traced = []] = loaded
  assert.ok(plain.includes('kysely'), 'control: packages are listed')
  assert.deepEqual(
    plain.filter((name) => OPTIONAL_PACKAGES.test(name)),
    [],
  )
  assert.ok(traced.includes('@opentelemetry/sdk-trace'))
})
