import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { deleteWorkspace, restoreWorkspace } from '#identity/deletion.ts'
import { advanceImports } from '#importing/chores.ts'
import { removeDoomed } from '#upkeep/files.ts'
import { ENGINES } from '../support/engines.ts'
import { freshDockets } from '../support/fresh.ts'
import { newHome } from '../support/home.ts'
import { importerOf } from '../support/importing.ts'
import { eventsOf } from '../support/scenario.ts'

// Importers in other processes of the tests would take jobs of a database that they share.
const fresh = freshDockets()

const ROWS = 80
const FILE = `title\n${Array.from({ length: ROWS }, (_, at) => `Task ${at}`).join('\n')}`

for (const engine of ENGINES) {
  const setUp = async () => {
    const served = await fresh(engine)
    const { storage } = served
    const home = await newHome(storage)
    const by = await importerOf(served, home)
    const owner = { ...NOBODY, workspace_id: home.workspace, role: 'owner' as const }
    const { id } = await by.upload('Plans.csv', FILE)
    return {
      ...{ by, id },
      remove: () => storage.write(owner, deleteWorkspace),
      restore: () => storage.write(owner, restoreWorkspace),
      told: async () => (await eventsOf(storage, home.workspace)).length,
      /** The files of the workspace, after those that are to go are gone. */
      async files() {
        while (await removeDoomed(storage, by.means.files)());
        const left: string[] = []
        for await (const { key } of by.means.files.list()) {
          if (key.startsWith(home.workspace)) left.push(key)
        }
        return left
      },
    }
  }

  test(`an import stops when its workspace is deleted, and its file goes (${engine})`, async () => {
    const { by, id, remove, restore, told, files } = await setUp()
    await by.work()
    await by.act(id, 'start')
    await by.step()
    const { made_count } = await by.get(id)
    assert.ok(made_count > 0 && made_count < ROWS)
    assert.equal((await files()).length, 1)
    const before = await told()
    await remove()
    await by.work()
    assert.equal(await told(), before)
    assert.deepEqual(await files(), [])

    // What was made by then is there again with the workspace, and can be taken back.
    await restore()
    await by.work()
    assert.equal(await told(), before)
    const now = await by.get(id)
    assert.deepEqual([now.status, now.made_count], ['canceled', made_count])
    await by.act(id, 'undo')
    await by.step()
    await remove()
    await by.work()
    await restore()
    await by.work()
    assert.deepEqual([(await by.get(id)).status, (await by.get(id)).made_count], ['undone', 0])
  })

  test(`a file of a deleted workspace is not read (${engine})`, async () => {
    const { by, id, remove, restore, files } = await setUp()
    await remove()
    await by.work()
    assert.deepEqual(await files(), [])
    await restore()
    await by.work()
    const now = await by.get(id)
    assert.deepEqual([now.status, now.row_count], ['canceled', 0])
  })

  test(`a run that is under way hears of the deletion (${engine})`, async () => {
    const { by, id, remove, told } = await setUp()
    await by.work()
    await by.act(id, 'start')
    await by.step()
    const before = await told()
    // Between the look for work and the work.
    const { storage } = by.means
    const deleting: typeof storage = {
      ...storage,
      async write(actor, work) {
        if (actor.role !== 'owner') await remove()
        return storage.write(actor, work)
      },
    }
    await advanceImports({ ...by.means, storage: deleting })
    assert.equal(await told(), before)
  })
}
