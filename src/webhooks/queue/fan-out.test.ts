import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { fanOut } from './fan-out.ts'

for (const engine of ENGINES) {
  test(`a webhook gets no event from before it was made that still waits for another one (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { keys, project, workspace } = await createTestWorkspace(storage)
    const send = async (method: 'GET' | 'POST', url: string, body?: object) => {
      const reply = await server.inject({
        method,
        url: `/api/v1${url}`,
        headers: {
          authorization: `Bearer ${keys.owner}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { payload: JSON.stringify(body) }),
      })
      assert.ok(reply.statusCode < 300, reply.body)
      return JSON.parse(reply.body)
    }
    const hook = { url: 'https://example.com/hook', events: ['task.created'] }
    const earlier = await send('POST', '/webhooks', hook)
    await send('POST', '/tasks', { project_id: project, title: 'Before' })
    const later = await send('POST', '/webhooks', hook)
    await send('POST', '/tasks', { project_id: project, title: 'After' })
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, (tx) => fanOut(tx))
    const countDeliveries = async ({ id }: { id: string }) =>
      (await send('GET', `/webhooks/${id}/deliveries`)).data.length
    assert.deepEqual([await countDeliveries(earlier), await countDeliveries(later)], [2, 1])
  })
}
