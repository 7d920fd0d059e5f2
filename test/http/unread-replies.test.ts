import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { linesRoute } from '#core/route.ts'
import { getProjectTasks } from '#resources/web-app/project-tasks/contract.ts'
import { routes } from '#server/app.ts'
import { callApi, callApiForJson } from '../support/api/call-api.ts'
import { createServerVariant } from '../support/api/rewrite-statements.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { listenOnPort } from '../support/server/raw-exchange.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** A page of them has 12 MB, more than all socket buffers hold. */
const PAGE_TASKS = 200
const DESCRIPTION = 'x'.repeat(60_000)

for (const engine of ENGINES) {
  test(`refuses requests of a workspace while 64 MiB of its replies are unread (${engine})`, async (t) => {
    const { storage, server } = await openTestDocket(engine, { DOCKET_DRAIN_SECONDS: '1' })
    const port = await listenOnPort(server)
    const [team, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const task = { project_id: team.project, title: 'T', description: DESCRIPTION }
    const operations = Array.from({ length: 10 }, () => ({ op: 'create', data: task }))
    for (let n = 0; n < PAGE_TASKS; n += operations.length) {
      const url = '/api/v1/tasks/bulk'
      await callApiForJson(server, team.keys.owner, { method: 'POST', url, body: { operations } })
    }
    const silent: Socket[] = []
    const leave = () => {
      for (const socket of silent) socket.destroy()
    }
    t.after(leave)
    const request =
      `GET /api/v1/tasks?limit=${PAGE_TASKS} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      `Authorization: Bearer ${team.keys.owner}\r\n\r\n`
    for (let n = 0; n < 30; n += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {}).pause()
      socket.write(request)
      silent.push(socket)
    }
    const ask = (key: string) => callApi(server, key, { method: 'GET', url: '/api/v1/projects' })
    const { id } = await callApiForJson(server, team.keys.owner, {
      method: 'POST',
      url: '/api/v1/tasks',
      body: task,
    })
    await waitUntil('the maximum', async () => (await ask(team.keys.owner)).status === 503)
    const { headers, text } = await ask(team.keys.owner)
    assert.equal(headers['retry-after'], '1')
    assert.equal(JSON.parse(text).error.code, 'unavailable')
    assert.equal((await ask(other.keys.owner)).status, 200)
    const removal = { method: 'DELETE', url: `/api/v1/tasks/${id}` }
    assert.equal((await callApi(server, team.keys.owner, removal)).status, 204)
    leave()
    await waitUntil('room', async () => (await ask(team.keys.owner)).status === 200)
  })
}

test('reads the next line only when the client has taken the one before, also compressed', async (t) => {
  const served = await openTestDocket('sqlite')
  const waiting: number[] = []
  const sockets = new Set<Socket>()
  const endless = linesRoute(getProjectTasks, async function* () {
    yield '{}'
    for (;;) {
      waiting.push(Math.max(...[...sockets].map(({ writableLength }) => writableLength)))
      yield JSON.stringify(randomBytes(300_000).toString('base64'))
    }
  })
  const server = await createServerVariant(served, {
    routes: routes.map((route) => (route.endpoint === getProjectTasks ? endless : route)),
  })
  server.server.on('connection', (socket) => sockets.add(socket))
  const port = await listenOnPort(server)
  const team = await createTestWorkspace(served.storage)
  const { headers } = await createTestSession(served.storage, team, 'owner')
  for (const coding of ['identity', 'gzip', 'br']) {
    waiting.length = 0
    const client = connect(port, '127.0.0.1').pause()
    t.after(() => client.destroy())
    client
      .on('error', () => {})
      .write(
        `GET /internal/projects/ENG/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${headers.cookie}\r\n` +
          `Accept-Encoding: ${coding}\r\n\r\n`,
      )
    await waitUntil('bytes that wait', () =>
      [...sockets].some(({ writableLength }) => writableLength > 0),
    )
    const count = waiting.length
    client.resume()
    await waitUntil('more lines', () => waiting.length > count + 10)
    client.destroy()
    await waitUntil('the end of the connection', () =>
      [...sockets].every(({ destroyed }) => destroyed),
    )
    sockets.clear()
    assert.deepEqual(new Set(waiting), new Set([0]), coding)
  }
})
