import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { PARTITIONED_TABLES, partitionPostgres } from '#db/postgres/partition.ts'
import { abandonWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import { openFiles } from '#files/open.ts'
import { purgeWorkspaceStep } from '#jobs/purges.ts'
import { readWorkspaceRows } from '#test/support/data/workspace-rows.ts'
import { createMigratedDatabase } from '#test/support/engines/test-database.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

test('a purge on partitioned tables leaves the rows of other workspaces', async () => {
  const { url, admin } = await createMigratedDatabase()
  const docket = await openTestDocket('postgres', { DOCKET_DATABASE_URL: url })
  const { storage, server, config } = docket
  const addWorkspace = async (): Promise<string> => {
    const { workspace, keys, project } = await createTestWorkspace(storage)
    const headers = { authorization: `Bearer ${keys.owner}` }
    for (const [path, payload] of [
      ['/webhooks', { url: 'https://example.com', events: ['*'] }],
      ['/tasks', { project_id: project, title: 'First' }],
      ['/tasks', { project_id: project, title: 'Second' }],
    ] as const) {
      const reply = await server.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
    }
    return workspace
  }
  const partitionOf = async (workspace: string) => {
    const text = 'select distinct tableoid::text as partition from events where workspace_id = $1'
    return (await admin.query<{ partition: string }>(text, [workspace])).rows[0]?.partition
  }
  const gone = await addWorkspace()
  await partitionPostgres({ url, tables: PARTITIONED_TABLES, parts: 4, onProgress: () => {} })
  let stays = await addWorkspace()
  while ((await partitionOf(stays)) === (await partitionOf(gone))) stays = await addWorkspace()
  const before = await readWorkspaceRows(docket, stays)
  assert.equal(before.events?.length, 2)

  await storage.write(ANONYMOUS_ACTOR, (tx) => abandonWorkspace(tx, gone))
  while (await purgeWorkspaceStep(storage, openFiles(config), gone));
  assert.equal(await partitionOf(gone), undefined)
  assert.deepEqual(await readWorkspaceRows(docket, stays), before)
})
