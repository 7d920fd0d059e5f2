import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createCheckpointer } from '#db/sqlite/checkpointer.ts'
import { openSqlite, openSqliteWriter } from '#db/sqlite/open-sqlite.ts'
import {
  closeAfterFile,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '../support/engines/test-database.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

const PAGES = 50

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
    openSqlite({ path, ...TEST_STORE_OPTIONS, checkpointPages: PAGES }),
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
