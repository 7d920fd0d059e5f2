import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { endExportsOfDeletedWorkspaces } from '#archive/export/export-jobs.ts'
import { softDeleteWorkspace, undeleteWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openFiles } from '#files/open.ts'
import { deletePendingFiles } from '#jobs/purges.ts'
import type { Export } from '#resources/exports/internal.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'
import { runExportJobs } from '../support/world/run-export-jobs.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

for (const engine of ENGINES) {
  test(`deleting a workspace removes its archives and stops its exports (${engine})`, async () => {
    const { storage, server, config } = await openFreshDocket(engine)
    const team = await createTestWorkspace(storage)
    const files = openFiles(config)
    const owner = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' as const }
    const remove = () => storage.write(owner, softDeleteWorkspace)
    const restore = () => storage.write(owner, undeleteWorkspace)
    const { headers } = await createTestSession(storage, team, 'owner', config.baseUrl)
    const ask = async (method: 'GET' | 'POST') => {
      const exportRequest = {
        method,
        url: '/internal/exports',
        headers,
        remoteAddress: newClientAddress(),
      }
      return server.inject(exportRequest)
    }
    const latest = async () => ((await ask('GET')).json() as { data: Export[] }).data[0]
    const remainingFiles = async () => {
      while (await deletePendingFiles(storage, files)());
      const keys: string[] = []
      for await (const { key } of files.list()) if (key.startsWith(team.workspace)) keys.push(key)
      return keys
    }

    await ask('POST')
    assert.equal(await runExportJobs(storage, files), 1)
    assert.equal((await latest())?.status, 'ready')
    assert.equal((await remainingFiles()).length, 1)
    await remove()
    await endExportsOfDeletedWorkspaces(storage)
    assert.deepEqual(await remainingFiles(), [])
    await restore()
    assert.equal((await latest())?.status, 'expired')

    // The workspace is deleted after the archive is written and before it is offered.
    await ask('POST')
    const deletingFiles: typeof files = Object.create(files, {
      put: {
        value: async (...put: Parameters<typeof files.put>) => {
          await remove()
          return files.put(...put)
        },
      },
    })
    assert.equal(await runExportJobs(storage, deletingFiles), 1)
    assert.deepEqual(await remainingFiles(), [])
    assert.equal(await runExportJobs(storage, files), 0)
    await restore()
    const failedExport = await latest()
    assert.deepEqual([failedExport?.status, failedExport?.size_bytes], ['failed', 0])
    assert.match(failedExport?.error ?? '', /deleted/)
    // No temporary file is left.
    assert.deepEqual(
      readdirSync(config.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes('.tar'),
      ),
      [],
    )
  })
}
