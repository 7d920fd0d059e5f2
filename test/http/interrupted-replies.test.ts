import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import pino from 'pino'
import { Registry } from 'prom-client'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { serviceUnavailable } from '#core/api-error.ts'
import { allowAnyRole, type Route, readRoute } from '#core/route.ts'

import type { AppContext } from '#http/app-context.ts'
import { createHttpServer } from '#http/server/server.ts'
import { createApp } from '#server/app.ts'
import { routes } from '#server/routes.ts'
import { endpoint } from '#wire/endpoint.ts'
import { StrictObject } from '#wire/schema-builders.ts'
import { callApiForJson } from '../support/api/call-api.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { type LiveConnection, openLiveStream } from '../support/server/live-stream.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const SIZE = 400_000

interface LoggedError {
  request_id?: string
  err: { message: string }
}

/** A route whose reply has a header that cannot be sent. */
const unsendable = readRoute(
  endpoint({
    method: 'GET',
    path: '/internal/test-unsendable-header',
    scope: 'session',
    limit: 'session',
    tag: 'Test',
    summary: 'Replies with a header that cannot be sent',
    location: '/:id',
    reply: StrictObject({}),
  }),
  allowAnyRole,
  async () => ({ id: 'a\nb', json: '{}' as never, revision: 1 }),
)

const servers: { close: () => Promise<unknown> }[] = []
const openStreams: LiveConnection[] = []
after(async () => {
  for (const live of openStreams) live.close()
  for (const server of servers) await server.close()
})

/** Starts a Docket whose log is kept, and whose parts a test can make fail. */
async function startFailingDocket() {
  const { storage, config } = await openTestDocket('sqlite')
  const errors: LoggedError[] = []
  const log = Object.assign(
    pino({ level: 'error' }, { write: (line: string) => errors.push(JSON.parse(line)) }),
    { line() {}, flushNow() {} },
  )
  const failing: { authentication?: Error; permissions?: Error } = {}
  let authentications = 0
  // It sheds no load, because the machine may be busy with other tests.
  const sheds = false
  const { appContext } = await createApp(storage, config, TEST_SECRET, log, undefined, { sheds })
  const { authenticator } = appContext
  const context: AppContext = {
    ...appContext,
    metrics: { ...appContext.metrics, registry: new Registry() },
    authenticator: {
      ...authenticator,
      authenticate: (...credentials) => {
        authentications += 1
        if (failing.authentication) throw failing.authentication
        return authenticator.authenticate(...credentials)
      },
    },
  }
  const failingRoutes = routes.map((route): Route => {
    if (route.kind !== 'feed') return route
    const open: typeof route.open = (...input) => ({
      ...route.open(...input),
      async loadVisibleProjects() {
        throw failing.permissions ?? new Error('not in this test')
      },
    })
    return { ...route, open }
  })
  const server = createHttpServer(context, [...failingRoutes, unsendable])
  servers.push(server)
  const port = await listenOnPort(server)
  const team = await createTestWorkspace(storage)
  const { headers } = await createTestSession(storage, team, 'owner')
  /** Sends a GET on a connection of its own, and waits for its end. */
  const get = (path: string, more: Record<string, string> = {}) => {
    const lines = Object.entries({ host: '127.0.0.1', ...headers, ...more })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return exchangeRaw(port, `GET ${path} HTTP/1.1\r\n${head}\r\n`, { keepsOpen: true })
  }
  const countAuthentications = () => authentications
  return { context, server, port, team, headers, errors, failing, countAuthentications, get }
}

/** Uploads a file whose stored bytes are then read from `source`. */
async function uploadFile(
  { server, team, context }: Awaited<ReturnType<typeof startFailingDocket>>,
  source: () => AsyncIterable<Uint8Array>,
): Promise<string> {
  const call = (url: string, body: object | Buffer) =>
    callApiForJson(server, team.keys.owner, { method: 'POST', url, body })
  const task = await call('/api/v1/tasks', { project_id: team.project, title: 'T' })
  const url = `/api/v1/tasks/${task.id}/attachments?filename=a`
  const { id } = await call(url, Buffer.alloc(SIZE))
  const files: AppContext['files'] = Object.create(context.files)
  files.read = async () => Readable.from(source())
  context.files = files
  return `/api/v1/attachments/${id}/content`
}

async function* failingBytes() {
  yield Buffer.alloc(1_000)
  yield Buffer.alloc(1_000)
  throw new Error('the disk fails')
}

async function* missingBytes() {
  yield Buffer.alloc(1_000)
}

for (const [what, bytes] of [
  ['cannot be read on', failingBytes],
  ['ends early', missingBytes],
] as const) {
  test(`closes a download whose file ${what}, and logs why`, async () => {
    const docket = await startFailingDocket()
    const path = await uploadFile(docket, bytes)
    for (const range of [{}, { range: 'bytes=0-9999' }]) {
      docket.errors.length = 0
      const { replies, closed } = await docket.get(path, range)
      assert.equal(closed, true)
      assert.deepEqual(replies, [], 'no complete reply')
      await waitUntil('the error is logged', () => docket.errors.length > 0)
      const [logged] = docket.errors
      if (bytes === failingBytes) assert.equal(logged?.err.message, 'the disk fails')
      assert.match(logged?.request_id ?? '', /^req_/)
      assert.equal(docket.errors.length, 1)
    }
  })
}

test('does not log a download that the client canceled', async () => {
  const docket = await startFailingDocket()
  let wasClosed = false
  const path = await uploadFile(docket, async function* endlessBytes() {
    try {
      for (;;) yield Buffer.alloc(100_000)
    } finally {
      wasClosed = true
    }
  })
  const controller = new AbortController()
  const reply = await fetch(`http://127.0.0.1:${docket.port}${path}`, {
    headers: docket.headers,
    signal: controller.signal,
  })
  assert.equal(reply.status, 200)
  controller.abort()
  await waitUntil('the file is closed', () => wasClosed)
  // Its request ends after its file, and would be logged by then.
  await waitUntil('the request ends', () => docket.context.load.requests === 0)
  assert.deepEqual(docket.errors, [])
})

test('replies 500 where the headers of a reply cannot be sent, and logs it', async () => {
  const { get, errors } = await startFailingDocket()
  const { replies } = await get('/internal/test-unsendable-header', { connection: 'close' })
  assert.equal(replies[0]?.status, 500)
  assert.match(replies[0]?.body ?? '', /"internal_error"/)
  assert.deepEqual(
    errors.map(({ err }) => err.message),
    ['Invalid character in header content ["location"]'],
  )
})

test('closes a live stream whose permissions cannot be read, and logs why', async () => {
  const { context, port, failing, errors, team } = await startFailingDocket()
  failing.permissions = new TypeError('a defect')
  const { headers } = await createTestSession(context.storage, team, 'member')
  const live = await openLiveStream(port, headers)
  openStreams.push(live)
  const { workspace: workspace_id, project: project_id } = team
  await context.storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) =>
    tx.noteChange({ noun: 'template', id: 'tpl_1', project_id }),
  )
  assert.equal(await live.endsWithin(), true)
  assert.doesNotMatch(live.text(), /tpl_1/)
  await waitUntil('the error is logged', () => errors.length > 0)
  assert.equal(errors[0]?.err.message, 'a defect')
  assert.match(errors[0]?.request_id ?? '', /^req_/)
  assert.equal(errors.length, 1)
})

test('closes a live stream that cannot be authenticated again, and logs why', async () => {
  const { port, headers, failing, errors } = await startFailingDocket()
  const live = await openLiveStream(port, headers)
  openStreams.push(live)
  failing.authentication = new TypeError('a defect')
  assert.equal(await live.endsWithin(), true)
  await waitUntil('the error is logged', () => errors.length > 0)
  assert.equal(errors[0]?.err.message, 'a defect')
  assert.match(errors[0]?.request_id ?? '', /^req_/)
})

test('keeps a live stream while the database does not answer', async () => {
  const docket = await startFailingDocket()
  const { port, headers, failing, errors, countAuthentications } = docket
  const live = await openLiveStream(port, headers)
  openStreams.push(live)
  failing.authentication = serviceUnavailable('The database does not answer.')
  const before = countAuthentications()
  await waitUntil('it fails twice', () => countAuthentications() > before + 1)
  delete failing.authentication
  const during = countAuthentications()
  await waitUntil('it authenticates again', () => countAuthentications() > during)
  assert.equal(await live.endsWithin(0), false)
  assert.deepEqual(errors, [])
})
