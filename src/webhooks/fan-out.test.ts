import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { fanOut } from './queue.ts'

for (const engine of ENGINES) {
  test(`a webhook gets no event from before it was made that still waits for another one (${engine})`, async () => {
    const { storage, team, send } = await openTestClient(engine)
    const { project, workspace } = team
    const hook = { url: 'https://example.com/hook', events: ['task.created'] }
    const earlier = await send('POST /api/v1/webhooks', hook)
    await send('POST /api/v1/tasks', { project_id: project, title: 'Before' })
    const later = await send('POST /api/v1/webhooks', hook)
    await send('POST /api/v1/tasks', { project_id: project, title: 'After' })
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, (tx) => fanOut(tx))
    const countDeliveries = async ({ id }: { id: string }) =>
      (await send(`GET /api/v1/webhooks/${id}/deliveries`)).data.length
    assert.deepEqual([await countDeliveries(earlier), await countDeliveries(later)], [2, 1])
  })
}
