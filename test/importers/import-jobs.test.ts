import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
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

const rowsOfImport = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('import_rows').select('task_id').where('import_id', '=', $.id),
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

  test(`deletes the rows of canceled imports that became no tasks (${engine})`, async () => {
    const { storage, importer } = await setUp()
    const readRows = (id: string) =>
      storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(rowsOfImport, { id }))
    const lines = Array.from({ length: 150 }, (_, at) => `Task ${at},${at < 10 ? 'soon' : ''}`)
    const file = ['title,due', ...lines].join('\n')
    const { id } = await importer.upload('Many.csv', file)
    await importer.work()
    await importer.act(id, 'start')
    await importer.step()
    await importer.act(id, 'cancel')
    const { made_count } = await importer.get(id)
    assert.ok(made_count > 0 && made_count < 50, String(made_count))
    assert.equal((await readRows(id)).length, 150)

    // Canceled imports that still have rows are limited.
    const second = await importer.upload('Again.csv', file)
    await importer.act(second.id, 'cancel')
    const refused = await importer.uploadReply('Third.csv', file)
    assert.deepEqual([refused.statusCode, refused.json().error.code], [409, 'import_under_way'])

    // Each step has a worker of its own, as if the one before had been killed.
    await importer.step()
    const { length } = await readRows(id)
    assert.ok(length > made_count && length < 150, String(length))
    await importer.work()
    const left = await readRows(id)
    assert.deepEqual(
      [left.length, left.every(({ task_id }) => task_id !== null)],
      [made_count, true],
    )
    const third = await importer.upload('Third.csv', file)
    await importer.work()
    assert.equal((await readRows(third.id)).length, 150)
    await importer.act(third.id, 'cancel')
    await importer.work()
    assert.deepEqual(await readRows(third.id), [])

    await importer.act(id, 'undo')
    await importer.work()
    const undone = await importer.get(id)
    assert.deepEqual([undone.status, undone.made_count, undone.error], ['undone', 0, null])
    assert.deepEqual(await readRows(id), [])
  })
}
