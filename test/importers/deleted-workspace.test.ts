import assert from 'node:assert/strict'
import { test } from 'node:test'
import { softDeleteWorkspace, undeleteWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { deletePendingFiles } from '#jobs/purges.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import { createImporter } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const ROWS = 80
const FILE = `title\n${Array.from({ length: ROWS }, (_, at) => `Task ${at}`).join('\n')}`

for (const engine of ENGINES) {
  const setUp = async () => {
    const docket = await fresh(engine)
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const importer = await createImporter(docket, team)
    const owner = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' as const }
    const { id } = await importer.upload('Plans.csv', FILE)
    return {
      importer,
      id,
      remove: () => storage.write(owner, softDeleteWorkspace),
      restore: () => storage.write(owner, undeleteWorkspace),
      countEvents: async () => (await readEvents(storage, team.workspace)).length,
      /** The files of the workspace after pending deletions were done. */
      async files() {
        while (await deletePendingFiles(storage, importer.means.files)());
        const remaining: string[] = []
        for await (const { key } of importer.means.files.list()) {
          if (key.startsWith(team.workspace)) remaining.push(key)
        }
        return remaining
      },
    }
  }

  test(`deleting the workspace cancels its import and removes the file (${engine})`, async () => {
    const { importer, id, remove, restore, countEvents, files } = await setUp()
    await importer.work()
    await importer.act(id, 'start')
    // More tasks than one step undoes.
    while ((await importer.get(id)).made_count <= 25) await importer.step()
    const { made_count } = await importer.get(id)
    assert.ok(made_count < ROWS)
    assert.equal((await files()).length, 1)
    const before = await countEvents()
    await remove()
    await importer.work()
    assert.equal(await countEvents(), before)
    assert.deepEqual(await files(), [])

    // Restoring the workspace brings back the created tasks, and the import can be undone.
    await restore()
    await importer.work()
    assert.equal(await countEvents(), before)
    const now = await importer.get(id)
    assert.deepEqual([now.status, now.made_count], ['canceled', made_count])
    await importer.act(id, 'undo')
    await importer.step()
    await remove()
    await importer.work()
    await restore()
    await importer.work()
    assert.equal((await importer.get(id)).status, 'canceled')
    await importer.act(id, 'undo')
    await importer.work()
    assert.deepEqual(
      [(await importer.get(id)).status, (await importer.get(id)).made_count],
      ['undone', 0],
    )
  })

  test(`the import file of a deleted workspace is not read (${engine})`, async () => {
    const { importer, id, remove, restore, files } = await setUp()
    await remove()
    await importer.work()
    assert.deepEqual(await files(), [])
    await restore()
    await importer.work()
    const now = await importer.get(id)
    assert.deepEqual([now.status, now.row_count], ['canceled', 0])
  })

  test(`a running import stops when its workspace is deleted (${engine})`, async () => {
    const { importer, id, remove, countEvents } = await setUp()
    await importer.work()
    await importer.act(id, 'start')
    await importer.step()
    const before = await countEvents()
    // The workspace is deleted between finding the job and running it.
    const { storage } = importer.means
    const deleting: typeof storage = {
      ...storage,
      async write(actor, work) {
        if (actor.role !== 'owner') await remove()
        return storage.write(actor, work)
      },
    }
    await importer.step(deleting)
    assert.equal(await countEvents(), before)
  })
}
