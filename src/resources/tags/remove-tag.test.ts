import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { addTagLink } from '#resources/tasks/statements/links.ts'
import { copyTaskRows } from '#test/support/data/copied-tasks.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const COPIES = 1_100

const taggedTasks = query((db, $: Scoped) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('tag_ids', '<>', '[]'),
)
const tagLinks = query((db, $: Scoped) =>
  db.selectFrom('task_tags').select('task_id').where('workspace_id', '=', $.workspace_id),
)

for (const engine of ENGINES) {
  test(`merging and deleting a tag reaches more tasks than one statement changes, on ${engine}`, async () => {
    const { storage, server, config } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const { workspace, project, keys } = team
    const headers = { authorization: `Bearer ${keys.owner}` }
    const create = async (url: string, payload: object): Promise<string> =>
      (await server.inject({ method: 'POST', url, headers, payload })).json().id
    const tag_id = await create(`/api/v1/projects/${project}/tags`, { name: 'common' })
    const body = { project_id: project, title: 'Tagged', tag_ids: [tag_id] }
    const task = await create('/api/v1/tasks', body)
    const copies = await copyTaskRows(storage, workspace, task, { series: 1, count: COPIES })
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
    await storage.write(actor, (tx) =>
      tx.runEach(
        addTagLink,
        copies.map((task_id) => ({ tag_id, task_id })),
      ),
    )
    const count = () =>
      storage.read(actor, async (tx) => [
        (await tx.all(taggedTasks, {})).length,
        (await tx.all(tagLinks, {})).length,
      ])
    assert.deepEqual(await count(), [COPIES + 1, COPIES + 1])
    const other = await create(`/api/v1/projects/${project}/tags`, { name: 'other' })
    const session = await createTestSession(storage, team, 'owner', config.baseUrl)
    const merged = await server.inject({
      method: 'POST',
      url: `/internal/tags/${tag_id}/merge`,
      headers: session.headers,
      payload: { into_id: other },
    })
    assert.equal(merged.statusCode, 200, merged.body)
    assert.equal(merged.json().task_count, COPIES + 1)
    assert.deepEqual(await count(), [COPIES + 1, COPIES + 1])
    const reply = await server.inject({ method: 'DELETE', url: `/api/v1/tags/${other}`, headers })
    assert.equal(reply.statusCode, 204, reply.body)
    assert.deepEqual(await count(), [0, 0])
  })
}
