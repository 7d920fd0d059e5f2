import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, conflict } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { openSqlite, type SqliteOptions } from '#db/sqlite/open-sqlite.ts'
import {
  allNotes,
  closeAfterFile,
  insertNote,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '#test/support/engines/test-database.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'

const COUNT = 50
const noteRows = () =>
  Array.from({ length: COUNT }, (_, at) => ({ name: `note-${1_000 + at}`, value: '' }))

/** A store whose every statement waits for a turn of the event loop, unless told otherwise. */
const openPaced = (options: Partial<SqliteOptions> = {}) =>
  openSqlite({
    path: join(createTempDir(), 'docket.db'),
    ...TEST_STORE_OPTIONS,
    sliceMs: 0,
    guard: true,
    ...options,
  })

test('readers see nothing of a long write before its commit, and other writes follow it', async () => {
  const storage = closeAfterFile(openPaced())
  const seen = new Set<number>()
  let isWritten = false
  const long = storage
    .write(ANONYMOUS_ACTOR, (tx) => tx.runEach(insertNote, noteRows()))
    .then(() => {
      isWritten = true
    })
  await nextTurn()
  await nextTurn()
  const next = storage.write(ANONYMOUS_ACTOR, async (tx) => (await tx.all(allNotes, {})).length)
  while (!isWritten) {
    seen.add((await readNoteNames(storage)).length)
    await nextTurn()
  }
  await long
  seen.delete(COUNT)
  assert.deepEqual([...seen], [0])
  assert.equal(await next, COUNT)
})

test('statements that are not awaited keep their order, and those after an error are undone', async () => {
  const storage = closeAfterFile(openPaced())
  const counts = await storage.write(ANONYMOUS_ACTOR, (tx) =>
    Promise.all([tx.all(allNotes, {}), addNote(tx, 'a'), tx.all(allNotes, {}), addNote(tx, 'b')]),
  )
  assert.deepEqual([counts[0].length, counts[2].length], [0, 1])
  const failing = storage.write(ANONYMOUS_ACTOR, async (tx) => {
    await Promise.all([addNote(tx, 'c'), addNote(tx, 'a'), addNote(tx, 'd'), addNote(tx, 'e')])
  })
  const [failed, next] = await Promise.allSettled([failing, writeNote(storage, 'f')])
  assert.deepEqual([failed.status, next.status], ['rejected', 'fulfilled'])
  assert.deepEqual(await readNoteNames(storage), ['a', 'b', 'f'])
})

test('an operation that fails within a long write is undone alone', async () => {
  const storage = closeAfterFile(openPaced())
  await storage.write(ANONYMOUS_ACTOR, async (tx) => {
    await tx.runOperation(() => addNote(tx, 'kept'))
    const refused = tx.runOperation(async () => {
      await addNote(tx, 'undone')
      throw conflict('limit_reached', 'No.')
    })
    await assert.rejects(refused, ApiError)
  })
  assert.deepEqual(await readNoteNames(storage), ['kept'])
  await storage.dryRun(ANONYMOUS_ACTOR, (tx) => addNote(tx, 'tried'))
  assert.deepEqual(await readNoteNames(storage), ['kept'])
})

test('the guard still refuses work that awaits something else between paused statements', async () => {
  const storage = closeAfterFile(openPaced())
  const write = storage.write(ANONYMOUS_ACTOR, async (tx) => {
    await addNote(tx, 'a')
    await new Promise((resolve) => setTimeout(resolve, 1))
  })
  await assert.rejects(write, /something other/)
})

test('a close aborts a write that does not end, keeps nothing of it, and runs short ones', async (t) => {
  const path = join(createTempDir(), 'docket.db')
  const storage = openPaced({ path, guard: false })
  let statements = 0
  const endless = storage.write(ANONYMOUS_ACTOR, async (tx) => {
    for (;;) {
      statements += 1
      await addNote(tx, `endless-${statements}`)
    }
  })
  const waiting = writeNote(storage, 'waiting')
  const outcomes = Promise.allSettled([endless, waiting])
  while (statements < 3) await nextTurn()
  const start = performance.now()
  // The close waits two seconds, which pass at once.
  t.mock.method(performance, 'now', () => start + 60_000 * statements)
  await storage.close()
  const [failed, short] = await outcomes
  assert.ok(failed.status === 'rejected' && failed.reason instanceof ApiError)
  assert.equal(failed.reason.status, 503)
  assert.equal(short.status, 'fulfilled')
  t.mock.restoreAll()
  const reopened = closeAfterFile(openPaced({ path }))
  assert.deepEqual(await readNoteNames(reopened), ['waiting'])
})

const addNote = (tx: WriteTx, name: string) => tx.run(insertNote, { name, value: '' })
