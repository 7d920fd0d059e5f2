import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

for (const engine of ENGINES) {
  test(`the undo of a creation needs the record as it was created, whatever its revision is (${engine})`, async () => {
    const { server, team } = await openTestClient(engine)
    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const write = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
      const reply = await server.inject({ method, url, headers, payload })
      assert.ok(reply.statusCode < 300, `${url} → ${reply.statusCode} ${reply.body}`)
      return { body: reply.json(), operation: String(reply.headers['x-operation-id']) }
    }
    const undo = async (...ids: string[]) => {
      const { body } = await write('POST', '/api/v1/operations/undo', { ids })
      return [body.undone_count, body.left_count]
    }
    const create = { project_id: team.project, title: 'One' }
    const task = await write('POST', '/api/v1/tasks', create)
    const comments = `/api/v1/tasks/${task.body.id}/comments`
    const comment = await write('POST', comments, { body: 'One' })
    const times = `/api/v1/tasks/${task.body.id}/time-entries`
    const entry = await write('POST', times, { duration_seconds: 60, note: 'One' })
    for (const [path, { body, operation }, change] of [
      ['comments', comment, { body: 'Two' }],
      ['time-entries', entry, { note: 'Two' }],
      ['tasks', task, { title: 'Two' }],
    ] as const) {
      const edit = await write('PATCH', `/api/v1/${path}/${body.id}`, change)
      assert.deepEqual(await undo(operation), [0, 1], `${path}, changed since`)
      assert.deepEqual(await undo(edit.operation), [1, 0], path)
      assert.deepEqual(await undo(operation), [1, 0], `${path}, as created`)
    }
  })
}
