import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import { openSqlite, type SqliteOptions } from '#storage/sqlite.ts'
import { commandOfAll, row } from '#storage/statement.ts'
import { emptyDir } from '../support/dir.ts'
import {
  closing,
  deleteNotes,
  insertNote,
  names,
  notes,
  put,
  surroundings,
} from '../support/store.ts'

const PAGE = 4_096

function opened(options: Partial<SqliteOptions> = {}) {
  const path = join(emptyDir(), 'docket.db')
  return { path, storage: closing(openSqlite({ path, ...surroundings, ...options })) }
}

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof Refusal && error.status === status

test('work that awaits something other than its transaction fails where that is watched', async () => {
  const { storage } = opened({ guard: true })
  for (const door of ['read', 'write', 'rehearse'] as const) {
    await assert.rejects(
      storage[door](NOBODY, () => pause(1)),
      /something other/,
    )
    await assert.rejects(
      storage[door](NOBODY, () => new Promise(setImmediate)),
      /something other/,
    )
    await storage[door](NOBODY, async (tx) => {
      for (let times = 0; times < 50; times++) await tx.all(notes, {})
      await Promise.all([tx.all(notes, {}), tx.all(notes, {})])
    })
  }
})

test('a lock of another process is waited for while the loop turns', async () => {
  const { path, storage } = opened()
  const holder = spawn(process.execPath, [
    '--eval',
    `const db = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)})
     db.exec('begin immediate'); console.log('held')
     process.stdin.once('data', () => { db.exec('commit'); db.close(); process.exit() })`,
  ])
  await once(holder.stdout, 'data')
  let isWritten = false
  const written = put(storage, 'waited').then(() => {
    isWritten = true
  })
  for (let turn = 0; turn < 20; turn += 1) await pause(5)
  assert.equal(isWritten, false, 'it has to wait, and the loop has turned meanwhile')
  holder.stdin.write('commit')
  await written
  assert.deepEqual(await names(storage), ['waited'])
})

test('when the disk is full writes are 503, reads go on, and it heals by itself', async () => {
  const { storage } = opened({ maxPages: 300 })
  const big = 'x'.repeat(50_000)
  let written = 0
  await assert.rejects(async () => {
    for (; written < 100; written++) await put(storage, `big-${written}`, big)
  }, refusedWith(503))
  assert.ok(written > 0)
  assert.equal((await names(storage)).length, written)
  assert.equal(await storage.ready(), false)

  // The transaction is gone with the statement: what follows in the same work must not slip through.
  const together = await Promise.allSettled([
    put(storage, 'before'),
    storage.write(NOBODY, async (tx) => {
      await tx.run(insertNote, { name: 'big', value: big }).catch(() => {})
      await tx.run(insertNote, { name: 'slipped', value: '' })
    }),
    storage.write(NOBODY, async (tx) => {
      await tx.run(insertNote, { name: 'large', value: big }).catch(() => {})
    }),
    put(storage, 'after'),
  ])
  for (const one of together) {
    assert.ok(one.status === 'rejected' && refusedWith(503)(one.reason))
  }
  assert.equal((await names(storage)).length, written)

  await storage.write(NOBODY, (tx) => tx.run(deleteNotes, {}))
  assert.equal(await storage.ready(), true)
  await put(storage, 'healed', big)
  assert.deepEqual(await names(storage), ['healed'])
})

test('readiness comes back without a write when there is room again', async () => {
  const { path, storage } = opened({ maxPages: 300 })
  const big = 'x'.repeat(50_000)
  await assert.rejects(async () => {
    for (let at = 0; at < 100; at++) await put(storage, `big-${at}`, big)
  }, refusedWith(503))
  assert.equal(await storage.ready(), false)
  const other = new DatabaseSync(path, { timeout: 5_000 })
  other.exec("delete from installation where name like 'big-%'")
  other.close()
  assert.equal(await storage.ready(), true)
})

test('a damaged page is 503 to who reads it, not a fault', async () => {
  const path = join(emptyDir(), 'docket.db')
  const sound = openSqlite({ path, ...surroundings })
  await put(sound, 'big', 'x'.repeat(100_000))
  await sound.close()
  const file = openSync(path, 'r+')
  const pages = Number(pragma(path, 'page_count'))
  writeSync(file, Buffer.alloc(10 * PAGE, 7), 0, 10 * PAGE, (pages - 10) * PAGE)
  closeSync(file)
  const damaged = openSqlite({ path, ...surroundings })
  await assert.rejects(names(damaged), refusedWith(503))
  await damaged.close()
})

const insertWords = commandOfAll((db, $: { rowid: number; words: string }) =>
  db.insertInto('task_words').values({ ...row($, 'rowid', 'words') } as never),
)
const deleteWords = commandOfAll((db, $: { rowid: number }) =>
  db.deleteFrom('task_words').where('rowid', '=', $.rowid),
)

test('after words were taken from the index of many, writes go on', async () => {
  const { storage } = opened()
  for (let rowid = 1; rowid <= 40; rowid += 1) {
    await storage.write(NOBODY, (tx) => tx.run(insertWords, { rowid, words: `word${rowid} all` }))
  }
  for (const rowid of [1, 2, 3]) {
    await storage.write(NOBODY, (tx) => tx.run(deleteWords, { rowid }))
  }
  await put(storage, 'afterwards')
  assert.ok((await names(storage)).includes('afterwards'))
})

test('a database of a newer version is refused and left as it is', () => {
  const path = join(emptyDir(), 'docket.db')
  const db = new DatabaseSync(path)
  db.exec('pragma user_version = 99; create table of_the_future (id text)')
  db.close()
  assert.throws(() => openSqlite({ path, ...surroundings }), /version 99/)
  assert.equal(pragma(path, 'user_version'), 99)
})

test('two that open a new database at once both find it migrated', async () => {
  const path = join(emptyDir(), 'docket.db')
  const script = `import { openForWriting } from '#storage/sqlite.ts'
    import { migrateSqlite } from '#storage/migrate-sqlite.ts'
    const db = openForWriting(${JSON.stringify(path)})
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

test('a database that cannot keep what it acknowledged is not opened', () => {
  const version = process.versions.sqlite ?? ''
  assert.ok(version.localeCompare('3.51.3', 'en', { numeric: true }) >= 0, version)
  const { path } = opened()
  const db = new DatabaseSync(path)
  assert.equal(Object.values(db.prepare('pragma journal_mode').get() ?? {})[0], 'wal')
  db.close()
  assert.throws(() => openSqlite({ path: ':memory:', ...surroundings }), /journal_mode must be wal/)
})

function pragma(path: string, name: string) {
  const db = new DatabaseSync(path)
  const value = Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0]
  db.close()
  return value
}
