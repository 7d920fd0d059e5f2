import assert from 'node:assert/strict'
import { test } from 'node:test'
import { softDeleteWorkspace, undeleteWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { purgeImports } from '#importers/job/import-jobs.ts'
import { deletePendingFiles } from '#jobs/purges.ts'
import { newId } from '#lib/id.ts'
import { insertImportRows } from '#resources/imports/row-store.ts'
import { importById, insertImport } from '#resources/imports/store.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { createFreshDockets, openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { createImporter, describeImportError, describeWarnings } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ROWS = Array.from({ length: 60 }, (_, at) => `Task ${at}`)
const FILE = ['title', ...ROWS].join('\n')

const rowsOfImport = unscopedQuery((db, $: { id: string }) =>
  db
    .selectFrom('import_rows')
    .select(['number', 'row', 'task_id', 'fault'])
    .where('import_id', '=', $.id)
    .orderBy('number'),
)
/** The most faults of an import that are listed. */
const MAX_FAULTS = 1_000

for (const engine of ENGINES) {
  const setUp = async () => {
    const clock = createTestClock()
    const docket = await openFreshDocket(engine, {}, { clock })
    const team = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, team)
    const { storage } = docket
    const readRows = (id: string) =>
      storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(rowsOfImport, { id }))
    /** Maps the project "Old" of a file to an archived one: none of its tasks can be created. */
    const chooseArchivedProject = async (id: string) => {
      await importer.choose(id, { projects: [{ name: 'Old', project_id: team.project }] })
      await importer.ask('POST', `/internal/projects/${team.project}/archive`)
    }
    /** Adds canceled imports with the columns of another one. */
    const insertCanceledImports = (id: string, count: number) =>
      storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, async (tx) => {
        const record = (await tx.one(importById, { id })) ?? assert.fail()
        for (let at = 0; at < count; at += 1) {
          const copy = { ...record, id: newId('imp', tx.nowMs), status: 'canceled', file_id: null }
          await tx.run(insertImport, copy)
        }
      })
    const insertRows = (import_id: string, count: number) =>
      storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) => {
        const rows = Array.from({ length: count }, (_, number) => ({
          number,
          key: null,
          row: '',
          fault: null,
          warning: null,
        }))
        return tx.run(insertImportRows, { import_id, rows })
      })
    const more = { chooseArchivedProject, insertCanceledImports, insertRows }
    return { ...docket, clock, team, importer, readRows, ...more }
  }

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
    const team = await createTestWorkspace(storage)
    const other = await createImporter({ engine, server, storage, config }, team)
    const { id } = await other.upload('Good.csv', FILE)
    await other.work()
    assert.equal((await other.get(id)).status, 'ready')
    assert.equal((await importer.get(badId)).status, 'reading')
    isBad = true
    clock.advance(DAY_MS)
    await importer.work()
    const failed = await importer.get(badId)
    assert.deepEqual([failed.status, failed.row_count], ['failed', 0])
    assert.equal(describeImportError(failed), 'failed')
  })

  test(`an import whose file has killed the process twice fails and says so (${engine})`, async () => {
    const { clock, importer } = await setUp()
    const { id } = await importer.upload('Deadly.csv', FILE)
    const { files } = importer.means
    for (let at = 0; at < 2; at += 1) {
      const reached = Promise.withResolvers<void>()
      importer.means.files = {
        ...files,
        read() {
          reached.resolve()
          return new Promise(() => {})
        },
      }
      void importer.step()
      await reached.promise
      assert.equal((await importer.get(id)).status, 'reading')
      clock.advance(MINUTE_MS)
    }
    importer.means.files = files
    await importer.work()
    const stopped = await importer.get(id)
    assert.deepEqual([stopped.status, describeImportError(stopped)], ['failed', 'server_stopped'])

    // The person can still have it read again, for example as another kind of file.
    await importer.choose(id, { kind: 'csv' })
    await importer.work()
    assert.equal((await importer.get(id)).status, 'ready')
  })

  test(`keeps nothing of the rows of an ended import but ids and a short list of faults (${engine})`, async () => {
    const { importer, readRows, chooseArchivedProject } = await setUp()
    const long = 'long '.repeat(1_000)
    const file = [
      'title,id,parent,due,project,description',
      `Good,a,,,New,${long}`,
      `Badly dated,b,,never,New,${long}`,
      `Archived,d,,,Old,${long}`,
      `${'T'.repeat(501)},e,,,Old,${long}`,
      `Below it,c,d,,New,${long}`,
      ',f,,,New,',
    ]
    const { id } = await importer.upload('Faults.csv', file.join('\n'))
    await importer.work()
    await chooseArchivedProject(id)
    await importer.act(id, 'start')
    await importer.work()
    const done = await importer.get(id)
    assert.deepEqual([done.status, done.made_count, done.failed_count], ['done', 5, 1])
    assert.deepEqual(
      (await readRows(id)).map(({ row }) => row),
      ['', '', '', '', '', JSON.stringify({ title: '' })],
    )
    assert.deepEqual(await importer.faults(id), [{ number: 7, title: '', error: null }])
    // A project that was archived after it had been chosen loses no row: a new one takes its place.
    assert.deepEqual(describeWarnings(await importer.warnings(id)), [
      'due_date: not_a_date never',
      'project: project_unavailable',
      'title: title_too_long',
      'project: project_unavailable',
      'parent: in_other_project d',
    ])
  })

  if (engine === 'sqlite') {
    test(`keeps at most ${MAX_FAULTS} faults of an import, and those of listed imports`, async () => {
      const { importer, readRows, chooseArchivedProject, insertCanceledImports } = await setUp()
      importer.means.maxRows = 3 * MAX_FAULTS
      const empty = Array.from({ length: MAX_FAULTS + 5 }, (_, at) => `,e${at},,,`)
      const others = ['Good,g,,,', 'Archived,a,,,Old']
      const file = ['title,id,blocked by,due,project', ...empty, ...others]
      const { id } = await importer.upload('Faults.csv', file.join('\n'))
      await importer.work()
      const ready = await importer.get(id)
      assert.deepEqual([ready.row_count, ready.failed_count], [MAX_FAULTS + 7, MAX_FAULTS + 5])
      assert.equal((await readRows(id)).length, MAX_FAULTS + others.length)
      await chooseArchivedProject(id)
      await importer.act(id, 'start')
      await importer.work()
      const { status, made_count, failed_count } = await importer.get(id)
      assert.deepEqual([status, made_count, failed_count], ['done', 2, MAX_FAULTS + 5])
      assert.equal((await importer.faults(id)).length, MAX_FAULTS)
      assert.equal((await readRows(id)).length, MAX_FAULTS + 2)

      // A file that cannot be read to its end leaves nothing.
      const issues = Array.from({ length: 300 }, (_, at) => `{"number":${at + 1},"title":"Good"}`)
      const unreadable = `[${issues.join(',')},nonsense`
      const failed = await importer.upload('issues.json', unreadable)
      await importer.work()
      assert.equal((await importer.get(failed.id)).status, 'failed')
      assert.deepEqual(await readRows(failed.id), [])

      await insertCanceledImports(id, 17)
      await importer.upload('Tasks.csv', 'title')
      assert.equal((await readRows(id)).length, MAX_FAULTS + 2)
      await importer.work()
      await importer.upload('Tasks.csv', 'title')
      await importer.work()
      const left = await readRows(id)
      assert.deepEqual([left.length, left[0]?.fault], [2, null])
      await importer.act(id, 'undo')
      await importer.work()
      assert.deepEqual((await importer.get(id)).status, 'undone')
      assert.deepEqual(await readRows(id), [])
    })
  }

  test(`deletes the rows of canceled imports that became no tasks (${engine})`, async () => {
    const { importer, readRows } = await setUp()
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

    const [touched] = left
    await importer.ask('PATCH', `/api/v1/tasks/${touched?.task_id}`, { title: 'Worked on' })
    await importer.act(id, 'undo')
    await importer.work()
    const undone = await importer.get(id)
    assert.deepEqual([undone.status, undone.made_count, undone.error], ['undone', 1, null])
    assert.deepEqual(await readRows(id), [])
  })

  test(`adds the warnings of a run to those of reading the file (${engine})`, async () => {
    const { importer, chooseArchivedProject } = await setUp()
    const { id } = await importer.upload('Tasks.csv', 'title,project,due\nOne,Old,soon\n')
    await importer.work()
    await chooseArchivedProject(id)
    await importer.act(id, 'start')
    await importer.work()
    assert.deepEqual(describeWarnings(await importer.warnings(id)), [
      'due_date: not_a_date soon',
      'project: project_unavailable',
    ])
  })

  test(`deletes all rows of expired imports in one round (${engine})`, async () => {
    const { storage, importer, clock, readRows, insertRows } = await setUp()
    const ids: string[] = []
    for (const count of [1_200, 600, 0]) {
      const { id } = await importer.upload('Tasks.csv', FILE)
      await importer.act(id, 'cancel')
      await importer.work()
      await insertRows(id, count)
      ids.push(id)
      clock.advance(MINUTE_MS)
    }
    const countRows = async () => (await Promise.all(ids.map(readRows))).map(({ length }) => length)
    clock.advance(31 * DAY_MS)
    assert.equal(await purgeImports(storage), true)
    assert.deepEqual(await countRows(), [700, 100, 0])
    while (await purgeImports(storage));
    assert.deepEqual(await countRows(), [0, 0, 0])
    const { data } = await importer.ask<{ data: unknown[] }>('GET', '/internal/imports')
    assert.deepEqual(data, [])
  })

  test(`a killed import resumes and creates no task twice (${engine})`, async () => {
    const docket = await setUp()
    const { importer, team } = docket
    const lines = Array.from({ length: 120 }, (_, at) => `Task ${at},${at % 2 ? 'odd' : 'even'}`)
    const { id } = await importer.upload('Many.csv', `title,tags\n${lines.join('\n')}`)
    await importer.work()
    await importer.act(id, 'start')
    await importer.step()
    await importer.step()
    const interrupted = await importer.get(id)
    // Transactions also have a time limit: on a fast machine it is fifty tasks.
    assert.equal(interrupted.status, 'running')
    assert.ok(
      interrupted.made_count > 0 && interrupted.made_count <= 50,
      `${interrupted.made_count}`,
    )

    const other = await createImporter(docket, team)
    await importer.act(id, 'pause')
    await importer.work()
    assert.equal((await importer.get(id)).made_count, interrupted.made_count)
    await importer.act(id, 'start')
    await Promise.all([importer.work(), other.work()])
    const done = await importer.get(id)
    assert.deepEqual([done.status, done.made_count], ['done', 120])
    const events = await readEvents(docket.storage, team.workspace)
    const titles = events
      .filter(({ type }) => type === 'task.created')
      .map(({ payload }) => (JSON.parse(payload) as { data: Task }).data.title)
    assert.deepEqual(
      titles,
      Array.from({ length: 120 }, (_, at) => `Task ${at}`),
    )
  })
}

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

/** More than are imported in one step. */
const DELETED_ROWS = 80
const DELETED_FILE = [
  'title',
  ...Array.from({ length: DELETED_ROWS }, (_, at) => `Task ${at}`),
].join('\n')

for (const engine of ENGINES) {
  const setUp = async () => {
    const docket = await fresh(engine)
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const importer = await createImporter(docket, team)
    const owner = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' as const }
    const { id } = await importer.upload('Plans.csv', DELETED_FILE)
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
    assert.ok(made_count < DELETED_ROWS)
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
