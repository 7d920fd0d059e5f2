import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { createImporter } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ROWS = Array.from({ length: 60 }, (_, at) => `Task ${at}`)
const FILE = ['title', ...ROWS].join('\n')

const deleteJobs = unscopedCommand((db) => db.deleteFrom('jobs'))
const claimAsPreviousRelease = unscopedCommand((db, $: { until: string }) =>
  db.updateTable('imports').set({ runner: 'opr_previous', runner_until: $.until }),
)

for (const engine of ENGINES) {
  const setUp = async () => {
    const clock = createTestClock()
    const docket = await openFreshDocket(engine, {}, { clock })
    const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
    return { ...docket, clock, importer }
  }

  test(`continues imports of the previous release after its claim has ended (${engine})`, async () => {
    const { storage, clock, importer } = await setUp()
    const { id } = await importer.upload('Tasks.csv', FILE)
    await importer.work()
    await importer.act(id, 'start')
    await importer.step()
    const until = new Date(clock.now() + MINUTE_MS).toISOString()
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(deleteJobs, {})
      await tx.run(claimAsPreviousRelease, { until })
    })
    const { made_count } = await importer.get(id)
    await importer.work()
    assert.equal((await importer.get(id)).made_count, made_count)
    clock.advance(2 * MINUTE_MS)
    await importer.work()
    const done = await importer.get(id)
    assert.deepEqual([done.status, done.made_count], ['done', ROWS.length])
  })

  test(`an import that cannot be read fails after a day and delays no other (${engine})`, async () => {
    const { server, storage, config, clock, importer } = await setUp()
    const { files } = importer.means
    const { id: badId } = await importer.upload('Bad.csv', FILE)
    let isBad = true
    importer.means.files = {
      ...files,
      async read(...read) {
        if (isBad) throw new Error('a defect')
        return files.read(...read)
      },
    }
    await importer.work()
    isBad = false
    const home = await createTestWorkspace(storage)
    const other = await createImporter({ engine, server, storage, config }, home)
    const { id } = await other.upload('Good.csv', FILE)
    await other.work()
    assert.equal((await other.get(id)).status, 'ready')
    assert.equal((await importer.get(badId)).status, 'reading')
    isBad = true
    clock.advance(DAY_MS)
    await importer.work()
    const failed = await importer.get(badId)
    assert.deepEqual([failed.status, failed.row_count], ['failed', 0])
    assert.match(failed.error ?? '', /^The import failed/)
  })
}
