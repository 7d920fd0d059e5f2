import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

test('on SQLite a GET of a task and a list are answered in the turn in which they arrive', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const { keys, project } = await createTestWorkspace(storage)
  const headers = { authorization: `Bearer ${keys.owner}`, host: '127.0.0.1' }
  const created = await server.inject({
    method: 'POST',
    url: '/api/v1/tasks',
    payload: { project_id: project, title: 'One' },
    headers: { ...headers, 'content-type': 'application/json' },
  })

  const isAnsweredAtOnce = async (url: string) => {
    // Authentication is cached for a fraction of a second.
    await server.inject({ url, headers })
    // It is connected to nobody.
    const request = new IncomingMessage(new Socket().on('error', () => {}))
    const rawHeaders = Object.entries(headers).flat()
    Object.assign(request, { method: 'GET', url, rawHeaders, headers: { ...headers } })
    request.httpVersion = '1.1'
    const response = new ServerResponse(request)
    response.assignSocket(request.socket)
    server.server.emit('request', request, response)
    // Its body leaves at the end of the turn, with the other replies of the turn.
    if (response.headersSent) assert.equal(response.statusCode, 200)
    return response.headersSent
  }
  for (const path of [`tasks/${created.json().id}`, `projects/${project}/tasks`, 'tasks?limit=2'])
    await waitUntil(`a reply in one turn to ${path}`, () => isAnsweredAtOnce(`/api/v1/${path}`))
})

for (const engine of ENGINES) {
  test(`Server-Timing tells what a read and a write waited for (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { keys, project } = await createTestWorkspace(storage)
    const headers = { authorization: `Bearer ${keys.owner}` }
    const payload = { project_id: project, title: 'One' }
    const created = await server.inject({ method: 'POST', url: '/api/v1/tasks', payload, headers })
    const read = await server.inject({ url: `/api/v1/tasks/${created.json().id}`, headers })
    assert.deepEqual([created.statusCode, read.statusCode], [201, 200])
    for (const { headers } of [created, read]) {
      const timing = /^queue;dur=([\d.]+), db;dur=([\d.]+), total;dur=([\d.]+)$/
      const [, queue, db, total] = timing.exec(String(headers['server-timing'])) ?? assert.fail()
      assert.ok(Number(queue) + Number(db) <= Number(total) + 0.01)
    }
  })
}
