import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { createCheckpointer } from '#db/sqlite/checkpointer.ts'
import { openSqlite, openSqliteWriter } from '#db/sqlite/open-sqlite.ts'
import {
  closeAfterFile,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '#test/support/engines/test-database.ts'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'

const PAGES = 50
/** As long as an idle thread is left running, and longer than any pause. */
const MINUTE_MS = 60_000

/** Pages in the write-ahead log, and how many of them are copied into the database. */
function openLogGauge(path: string) {
  const db = new DatabaseSync(path, { readOnly: true })
  const measure = db.prepare('pragma wal_checkpoint(noop)')
  return {
    read: () => ({
      pages: Number(measure.get()?.log),
      copied: Number(measure.get()?.checkpointed),
    }),
    close: () => db.close(),
  }
}

test('a thread copies a long write-ahead log, which then begins anew', async () => {
  const path = join(createTempDir(), 'docket.db')
  const storage = closeAfterFile(
    openSqlite({ path, ...TEST_STORE_OPTIONS, isSmallDisk: false, checkpointPages: PAGES }),
  )
  const log = openLogGauge(path)
  await writeNote(storage, 'note-0')
  const { pages } = log.read()
  assert.ok(pages >= PAGES)
  while (log.read().copied < pages) await pause(1)
  let count = 1
  while (log.read().pages >= pages) {
    await writeNote(storage, `note-${count}`)
    count += 1
    await pause(1)
  }
  assert.equal((await readNoteNames(storage)).length, count)
  log.close()
})

test('the writer copies the rest that the thread could not, and the log begins anew', async () => {
  const path = join(createTempDir(), 'docket.db')
  const db = openSqliteWriter(path)
  const checkpointer = createCheckpointer(db, path, undefined, 1)
  const log = openLogGauge(path)
  db.exec("create table notes (text); insert into notes values ('one')")
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('begin; select * from notes')
  db.exec("insert into notes values ('after the snapshot')")
  checkpointer.check()
  while (checkpointer.isRunning()) await pause(1)
  const { pages, copied } = log.read()
  assert.ok(copied > 0 && copied < pages)
  reader.exec('commit')
  checkpointer.check()
  assert.deepEqual(log.read(), { pages, copied: pages })
  db.exec("insert into notes values ('in the new log')")
  assert.ok(log.read().pages < pages)
  await checkpointer.close()
  for (const one of [reader, log, db]) one.close()
})

test('a short write-ahead log starts no thread', async () => {
  const path = join(createTempDir(), 'docket.db')
  const db = openSqliteWriter(path)
  const checkpointer = createCheckpointer(db, path, undefined, PAGES)
  db.exec('create table notes (text)')
  checkpointer.check()
  assert.equal(checkpointer.isRunning(), false)
  db.close()
})

test('reports a thread that fails, and tries again later only', async () => {
  const dir = createTempDir()
  const db = openSqliteWriter(join(dir, 'docket.db'))
  db.exec('create table notes (text)')
  const events = new EventTarget()
  // A directory is no database.
  const checkpointer = createCheckpointer(
    db,
    dir,
    (what) => events.dispatchEvent(new Event(what)),
    1,
  )
  checkpointer.check()
  assert.ok(checkpointer.isRunning())
  await once(events, 'The write-ahead log could not be copied')
  assert.equal(checkpointer.isRunning(), false)
  checkpointer.check()
  assert.equal(checkpointer.isRunning(), false)
  await checkpointer.close()
  db.close()
})

test('a checkpoint is not ended by the idle time-out of an earlier one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = stopPerformanceClock(t)
  const path = join(createTempDir(), 'docket.db')
  const db = openSqliteWriter(path)
  db.exec('create table notes (text)')
  const events: string[] = []
  const prepare = db.prepare.bind(db)
  t.mock.method(db, 'prepare', (sql: string) => {
    const statement = prepare(sql)
    if (sql.includes('passive')) {
      const fail = () => {
        throw new Error('The disk failed')
      }
      t.mock.method(statement, 'get', fail, { times: 1 })
    }
    return statement
  })
  const checkpointer = createCheckpointer(db, path, (what) => events.push(what), 1)
  checkpointer.check()
  while (checkpointer.isRunning()) await turn()
  checkpointer.check()
  assert.equal(events.length, 1, 'the rest could not be copied')

  clock.pass(MINUTE_MS)
  db.exec("insert into notes values ('one')")
  checkpointer.check()
  t.mock.timers.tick(MINUTE_MS)
  assert.ok(checkpointer.isRunning())
  while (checkpointer.isRunning()) await turn()
  assert.equal(events.length, 1)

  checkpointer.check()
  clock.pass(MINUTE_MS)
  db.exec("insert into notes values ('two')")
  checkpointer.check()
  assert.ok(checkpointer.isRunning())
  await checkpointer.close()
  assert.equal(checkpointer.isRunning(), false)
  db.close()
})

test('on a small disk the write-ahead log stays within 64 MiB under a burst of large writes', async () => {
  const path = join(createTempDir(), 'docket.db')
  const storage = closeAfterFile(openSqlite({ path, ...TEST_STORE_OPTIONS, isSmallDisk: true }))
  let longest = 0
  for (let round = 0; round < 40; round += 1) {
    // Written together, so that they share commits: 8 MiB in each round, 320 MiB in all.
    const notes = Array.from({ length: 8 }, (_, at) => `note-${round}-${at}`)
    await Promise.all(notes.map((name) => writeNote(storage, name, 'x'.repeat(1024 ** 2))))
    longest = Math.max(longest, statSync(`${path}-wal`).size)
  }
  assert.ok(longest > 16 * 1024 ** 2, 'the burst is longer than a few commits')
  assert.ok(longest <= 64 * 1024 ** 2, `the log took ${longest} bytes`)
})
