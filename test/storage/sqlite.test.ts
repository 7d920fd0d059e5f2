import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, statSync, writeSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import { pickSlots, unscopedCommand } from '#db/core/statement.ts'
import { serveDataDir } from '#db/installation/data-dir.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openSqlite, type SqliteOptions } from '#db/sqlite/open-sqlite.ts'
import {
  allNotes,
  closeAfterFile,
  deleteNotes,
  insertNote,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '../support/engines/test-database.ts'
import { stopPerformanceClock } from '../support/system/performance-clock.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'

const PAGE_BYTES = 4_096

function opened(options: Partial<SqliteOptions> = {}) {
  const path = join(createTempDir(), 'docket.db')
  return { path, storage: closeAfterFile(openSqlite({ path, ...TEST_STORE_OPTIONS, ...options })) }
}

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof ApiError && error.status === status

test('the guard refuses work that awaits something other than its transaction', async () => {
  const { storage } = opened({ guard: true })
  for (const method of ['read', 'write', 'dryRun'] as const) {
    await assert.rejects(
      storage[method](ANONYMOUS_ACTOR, () => pause(1)),
      /something other/,
    )
    await assert.rejects(
      storage[method](ANONYMOUS_ACTOR, () => new Promise(setImmediate)),
      /something other/,
    )
    await storage[method](ANONYMOUS_ACTOR, async (tx) => {
      for (let times = 0; times < 50; times++) await tx.all(allNotes, {})
      await Promise.all([tx.all(allNotes, {}), tx.all(allNotes, {})])
    })
  }
})

test('a request sees what another process had committed when it was sent', async (t) => {
  const { path, storage } = opened()
  const other = new DatabaseSync(path)
  const readNotes = () => storage.readNow(ANONYMOUS_ACTOR, (tx) => tx.allNow(allNotes, {}))
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket]: Socket[] = await accepted
  const notesOfRequest = new Promise((resolve) =>
    socket?.once('data', () => {
      storage.shareTurn()
      resolve(readNotes())
    }),
  )
  // In a timer, after which the sockets are polled.
  await pause(1)
  readNotes()
  other.exec("insert into installation values ('of a command', '')")
  client.end('request')
  assert.deepEqual(await notesOfRequest, [{ name: 'of a command', value: '' }])
  other.close()
})

test('waiting for a lock of another process does not block the event loop', async () => {
  const { path, storage } = opened()
  const holder = spawn(process.execPath, [
    '--eval',
    `const db = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)})
     db.exec('begin immediate'); console.log('held')
     process.stdin.once('data', () => { db.exec('commit'); db.close(); process.exit() })`,
  ])
  await once(holder.stdout, 'data')
  let isWritten = false
  const written = writeNote(storage, 'waited').then(() => {
    isWritten = true
  })
  await waitUntil('the begin of the write', () => storage.stats().queuedWrites === 0)
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  assert.equal(isWritten, false, 'it has to wait, and the loop has turned meanwhile')
  holder.stdin.write('commit')
  await written
  assert.deepEqual(await readNoteNames(storage), ['waited'])
})

test('on a full disk writes are 503, reads continue, and the store recovers', async (t) => {
  // Otherwise a group that exceeds its time on a slow machine ends before the statement that fails.
  stopPerformanceClock(t)
  const { storage } = opened({ maxPages: 300 })
  const big = 'x'.repeat(50_000)
  let written = 0
  await assert.rejects(async () => {
    for (; written < 100; written++) await writeNote(storage, `big-${written}`, big)
  }, refusedWith(503))
  assert.ok(written > 0)
  assert.equal((await readNoteNames(storage)).length, written)
  assert.equal(await storage.isReady(), false)

  // The failed statement ended the transaction, so later statements of the group must not commit.
  const together = await Promise.allSettled([
    writeNote(storage, 'before'),
    storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(insertNote, { name: 'big', value: big }).catch(() => {})
      await tx.run(insertNote, { name: 'slipped', value: '' })
    }),
    storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(insertNote, { name: 'large', value: big }).catch(() => {})
    }),
    writeNote(storage, 'after'),
  ])
  for (const one of together) {
    assert.ok(one.status === 'rejected' && refusedWith(503)(one.reason))
  }
  assert.equal((await readNoteNames(storage)).length, written)

  await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(deleteNotes, {}))
  assert.equal(await storage.isReady(), true)
  await writeNote(storage, 'healed', big)
  assert.deepEqual(await readNoteNames(storage), ['healed'])
})

test('becomes ready again without a write once there is room', async () => {
  const { path, storage } = opened({ maxPages: 400 })
  const big = 'x'.repeat(50_000)
  await assert.rejects(async () => {
    for (let at = 0; at < 100; at++) await writeNote(storage, `big-${at}`, big)
  }, refusedWith(503))
  assert.equal(await storage.isReady(), false)
  const other = new DatabaseSync(path, { timeout: 5_000 })
  other.exec("delete from installation where name like 'big-%'")
  other.close()
  assert.equal(await storage.isReady(), true)
})

test('reading a damaged page is a 503, not an internal error', async () => {
  const path = join(createTempDir(), 'docket.db')
  const sound = openSqlite({ path, ...TEST_STORE_OPTIONS })
  await writeNote(sound, 'big', 'x'.repeat(100_000))
  await sound.close()
  const file = openSync(path, 'r+')
  const pages = Number(readPragma(path, 'page_count'))
  writeSync(file, Buffer.alloc(10 * PAGE_BYTES, 7), 0, 10 * PAGE_BYTES, (pages - 10) * PAGE_BYTES)
  closeSync(file)
  const damaged = openSqlite({ path, ...TEST_STORE_OPTIONS })
  await assert.rejects(readNoteNames(damaged), refusedWith(503))
  await damaged.close()
})

const insertWords = unscopedCommand((db, $: { rowid: number; words: string }) =>
  db.insertInto('task_words').values({ ...pickSlots($, 'rowid', 'words') } as never),
)
const deleteWords = unscopedCommand((db, $: { rowid: number }) =>
  db.deleteFrom('task_words').where('rowid', '=', $.rowid),
)

test('writes continue after words were deleted from a large search index', async () => {
  const { storage } = opened()
  for (let rowid = 1; rowid <= 40; rowid += 1) {
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(insertWords, { rowid, words: `word${rowid} all` }),
    )
  }
  for (const rowid of [1, 2, 3]) {
    await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(deleteWords, { rowid }))
  }
  await writeNote(storage, 'afterwards')
  assert.ok((await readNoteNames(storage)).includes('afterwards'))
})

test('refuses a database of a newer version and leaves it unchanged', () => {
  const path = join(createTempDir(), 'docket.db')
  const db = new DatabaseSync(path)
  db.exec('pragma user_version = 99; create table of_the_future (id text)')
  db.close()
  assert.throws(() => openSqlite({ path, ...TEST_STORE_OPTIONS }), /version 99/)
  assert.equal(readPragma(path, 'user_version'), 99)
})

test('processes that open a new database concurrently migrate it once', async () => {
  const path = join(createTempDir(), 'docket.db')
  const script = `import { openSqliteWriter } from '#db/sqlite/open-sqlite.ts'
    import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
    const db = openSqliteWriter(${JSON.stringify(path)})
    console.log(JSON.stringify(migrateSqlite(db))); db.close()`
  const runs = [0, 1, 2].map(async () => {
    const run = spawn(process.execPath, ['--input-type=module', '--eval', script])
    let out = ''
    let err = ''
    run.stdout.on('data', (chunk) => {
      out += chunk
    })
    run.stderr.on('data', (chunk) => {
      err += chunk
    })
    const [code] = await once(run, 'close')
    assert.equal(code, 0, err)
    return JSON.parse(out).applied.length as number
  })
  const applied = (await Promise.all(runs)).filter((count) => count > 0)
  assert.equal(applied.length, 1)
})

test('a database in a directory that others can enter is for its owner only', async () => {
  const dataDir = createTempDir()
  chmodSync(dataDir, 0o755)
  const files = ['docket.db', 'docket.db-wal', 'docket.db-shm']
  const modes = () => files.map((name) => statSync(join(dataDir, name)).mode & 0o777)
  const open = () =>
    openStore({ ...TEST_STORE_OPTIONS, dataDir, databaseUrl: undefined, secret: TEST_SECRET })
  const first = await open()
  assert.deepEqual(modes(), [0o600, 0o600, 0o600])
  for (const name of files) chmodSync(join(dataDir, name), 0o644)
  // A command beside the server: the log that it finds was made by a release that left it readable.
  const second = await open()
  assert.deepEqual(modes(), [0o600, 0o600, 0o600])
  await second.storage.close()
  await first.storage.close()
  const lock = serveDataDir(dataDir)
  assert.equal(statSync(join(dataDir, 'server.lock')).mode & 0o777, 0o600)
  lock?.release()
})

test('refuses a database that may lose acknowledged commits', () => {
  const version = process.versions.sqlite ?? ''
  assert.ok(version.localeCompare('3.51.3', 'en', { numeric: true }) >= 0, version)
  const { path } = opened()
  const db = new DatabaseSync(path)
  assert.equal(Object.values(db.prepare('pragma journal_mode').get() ?? {})[0], 'wal')
  db.close()
  assert.throws(
    () => openSqlite({ path: ':memory:', ...TEST_STORE_OPTIONS }),
    /journal_mode must be wal/,
  )
})

function readPragma(path: string, name: string) {
  const db = new DatabaseSync(path)
  const value = Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0]
  db.close()
  return value
}

test('a read sees what this process has committed in the same turn, though an earlier one did not', async () => {
  const { storage } = opened()
  const counts: unknown[] = []
  const countNow = () =>
    counts.push(Object(storage.readNow(ANONYMOUS_ACTOR, (tx) => tx.allNow(allNotes, {}))).length)
  const written = storage.write(ANONYMOUS_ACTOR, async (tx) => {
    // In the turn in which the commit follows, on the connection of other requests.
    countNow()
    await tx.run(insertNote, { name: 'own', value: '' })
    countNow()
  })
  await written.then(countNow)
  assert.deepEqual(counts, [0, 0, 1])
})

test('a read sees what another process has committed before its turn', async () => {
  const { storage, path } = opened()
  const other = new DatabaseSync(path)
  for (const name of ['one', 'two']) {
    await new Promise(setImmediate)
    other.prepare('insert into installation values (?, ?)').run(name, '')
    await new Promise(setImmediate)
    assert.ok((await readNoteNames(storage)).includes(name))
  }
  other.close()
})
