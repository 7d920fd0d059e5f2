import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { MIGRATIONS } from '#storage/migrations.ts'
import { openSqlite } from '#storage/sqlite.ts'
import { emptyDir } from '../support/dir.ts'
import { put, surroundings } from '../support/store.ts'

/** Migrates with one more migration in a process of its own; `die()` kills it. */
async function migrated(path: string, sql: string): Promise<{ signal: string; err: string }> {
  const script = `
    import { MIGRATIONS } from '#storage/migrations.ts'
    import { migrateSqlite } from '#storage/migrate-sqlite.ts'
    import { openForWriting } from '#storage/sqlite.ts'
    MIGRATIONS.push({ name: '0002-more', sql: ${JSON.stringify(sql)} })
    const db = openForWriting(${JSON.stringify(path)})
    db.function('die', () => process.kill(process.pid, 'SIGKILL'))
    migrateSqlite(db)
    db.close()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const [, signal] = await once(child, 'close')
  return { signal, err }
}

function look(path: string) {
  const db = new DatabaseSync(path)
  const one = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
  const found = {
    version: one('pragma user_version'),
    tables: one("select count(*) from sqlite_master where name in ('more', 'moved')"),
    notes: one("select count(*) from installation where name = 'note'"),
    sound: one('pragma integrity_check'),
  }
  db.close()
  return found
}

async function oldDatabase(): Promise<string> {
  const path = join(emptyDir(), 'docket.db')
  const storage = openSqlite({ path, ...surroundings })
  await put(storage, 'note')
  await storage.close()
  return path
}

const STATEMENTS = [
  'create table more (name text)',
  'insert into more select name from installation',
  'delete from installation',
  'alter table more rename to moved',
]
const OLD = { version: MIGRATIONS.length, tables: 0, notes: 1, sound: 'ok' }
const NEW = { version: MIGRATIONS.length + 1, tables: 1, notes: 0, sound: 'ok' }

test('a migration that is killed leaves the database as it was, and is done by the next start', async () => {
  const path = await oldDatabase()
  for (let done = 0; done <= STATEMENTS.length; done++) {
    const killed = await migrated(path, STATEMENTS.toSpliced(done, 0, 'select die()').join(';'))
    assert.equal(killed.signal, 'SIGKILL', killed.err)
    assert.deepEqual(look(path), OLD, `after ${done} statements`)
  }
  assert.deepEqual(await migrated(path, STATEMENTS.join(';')), { signal: null, err: '' })
  assert.deepEqual(look(path), NEW)
  assert.deepEqual(look(`${path}.v${OLD.version}`), OLD, 'what there was is kept')
})

test('a migration that fails leaves the database as it was, and no half of a copy', async () => {
  const path = await oldDatabase()
  const { err } = await migrated(path, `${STATEMENTS.join(';')}; select no_such_function()`)
  assert.match(err, /no_such_function/)
  assert.deepEqual(look(path), OLD)
  assert.deepEqual(readdirSync(dirname(path)).toSorted(), [
    'docket.db',
    `docket.db.v${OLD.version}`,
  ])
})
