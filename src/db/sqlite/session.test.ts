import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import { closeAfterFile, TEST_STORE_OPTIONS } from '#test/support/engines/test-database.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'

/** SQLITE_IOERR_FSYNC (https://sqlite.org/rescode.html). */
const FAILED_FLUSH = Object.assign(new Error('disk I/O error'), { errcode: 1_034 })

const insertNote = unscopedCommand((db, $: { name: string }) =>
  db.insertInto('installation').values({ name: $.name, value: '' }),
)
const noteNames = unscopedQuery((db) =>
  db.selectFrom('installation').select('name').where('name', 'like', 'note %').orderBy('name'),
)

/** Opens a store whose commits can be made to fail. */
function openOnFailingDisk(t: TestContext, path: string) {
  const disk = { fails: false, commits: 0 }
  const fatal: unknown[] = []
  const { prepare } = DatabaseSync.prototype
  // Nothing else runs before it is restored.
  const { mock } = t.mock.method(
    DatabaseSync.prototype,
    'prepare',
    function (this: DatabaseSync, sql: string) {
      const statement = prepare.call(this, sql)
      if (sql !== 'commit') return statement
      const run = statement.run.bind(statement)
      return Object.assign(statement, {
        run: () => {
          disk.commits += 1
          if (disk.fails) throw FAILED_FLUSH
          return run()
        },
      })
    },
  )
  const storage = openSqlite({
    path,
    ...TEST_STORE_OPTIONS,
    onFatal: (error) => fatal.push(error),
  })
  mock.restore()
  const write = (name: string) =>
    storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(insertNote, { name: `note ${name}` }))
  return { storage, disk, fatal, write }
}

test('after a failed flush nothing is committed any more, and the process ends', async (t) => {
  const path = join(createTempDir(), 'docket.db')
  const { storage, disk, fatal, write } = openOnFailingDisk(t, path)
  await write('before')
  disk.fails = true
  const { commits } = disk
  const together = await Promise.allSettled(['a', 'b', 'c'].map(write))
  // A second attempt would seem to succeed, although its pages may be lost.
  disk.fails = false
  const later = await Promise.allSettled([write('later')])
  for (const one of [...together, ...later])
    assert.equal(one.status === 'rejected' && one.reason.status, 503)
  assert.equal(disk.commits, commits + 1)
  await waitUntil('the end of the process', () => fatal.length > 0)
  assert.deepEqual(fatal, [FAILED_FLUSH])
  await storage.close()
  const reopened = closeAfterFile(openSqlite({ path, ...TEST_STORE_OPTIONS }))
  const names = await reopened.read(ANONYMOUS_ACTOR, (tx) => tx.all(noteNames, {}))
  assert.deepEqual(names, [{ name: 'note before' }])
})
