import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import { TEST_STORE_OPTIONS, writeNote } from '../support/engines/test-database.ts'
import { runAsRelease } from '../support/migrations/next-release-migrations.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

/** Applies one more migration in a process of its own; `die()` in the SQL kills it. */
async function migrateInProcess(
  path: string,
  sql: string,
): Promise<{ signal: string; err: string }> {
  const script = `
    import { MIGRATIONS } from '#db/migrate/migrations.ts'
    import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
    import { openSqliteWriter } from '#db/sqlite/open-sqlite.ts'
    MIGRATIONS.push({ name: '0002-more', sql: ${JSON.stringify(sql)} })
    const db = openSqliteWriter(${JSON.stringify(path)})
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

function readState(path: string) {
  const db = new DatabaseSync(path)
  const readValue = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
  const state = {
    version: readValue('pragma user_version'),
    tables: readValue("select count(*) from sqlite_master where name in ('more', 'moved')"),
    notes: readValue("select count(*) from installation where name = 'note'"),
    sound: readValue('pragma integrity_check'),
  }
  db.close()
  return state
}

async function oldDatabase(): Promise<string> {
  const path = join(createTempDir(), 'docket.db')
  const storage = openSqlite({ path, ...TEST_STORE_OPTIONS })
  await writeNote(storage, 'note')
  await storage.close()
  return path
}

const STATEMENTS = [
  'create table more (name text)',
  'insert into more select name from installation',
  'delete from installation',
  'alter table more rename to moved',
]
const OLD_STATE = { version: MIGRATIONS.length, tables: 0, notes: 1, sound: 'ok' }
const NEW_STATE = { version: MIGRATIONS.length + 1, tables: 1, notes: 0, sound: 'ok' }

test('a killed migration leaves the database unchanged and is applied by the next start', async () => {
  const path = await oldDatabase()
  for (let done = 0; done <= STATEMENTS.length; done++) {
    const killed = await migrateInProcess(
      path,
      STATEMENTS.toSpliced(done, 0, 'select die()').join(';'),
    )
    assert.equal(killed.signal, 'SIGKILL', killed.err)
    assert.deepEqual(readState(path), OLD_STATE, `after ${done} statements`)
  }
  assert.deepEqual(await migrateInProcess(path, STATEMENTS.join(';')), { signal: null, err: '' })
  assert.deepEqual(readState(path), NEW_STATE)
  assert.deepEqual(readState(`${path}.v${OLD_STATE.version}`), OLD_STATE, 'what there was is kept')
})

test('a failed migration leaves the database unchanged and no partial copy', async () => {
  const path = await oldDatabase()
  const { err } = await migrateInProcess(path, `${STATEMENTS.join(';')}; select no_such_function()`)
  assert.match(err, /no_such_function/)
  assert.deepEqual(readState(path), OLD_STATE)
  assert.deepEqual(readdirSync(dirname(path)).toSorted(), [
    'docket.db',
    `docket.db.v${OLD_STATE.version}`,
  ])
})

/** A command that begins to write when `turn` is 1, says so with 2, and goes on for a moment. */
const WRITING_COMMAND = `
  const { DatabaseSync } = require('node:sqlite')
  const { path, turn } = require('node:worker_threads').workerData
  Atomics.wait(turn, 0, 0)
  const db = new DatabaseSync(path)
  db.exec('begin immediate')
  Atomics.store(turn, 0, 2)
  Atomics.notify(turn, 0)
  Atomics.wait(turn, 0, 2, 100)
  db.exec('commit')
  db.close()`

test('a start that restores planner statistics after a migration waits for a command that is writing', async () => {
  const path = await oldDatabase()
  const old = new DatabaseSync(path)
  const turn = new Int32Array(new SharedArrayBuffer(4))
  const command = new Worker(WRITING_COMMAND, { eval: true, workerData: { path, turn } })
  await once(command, 'online')
  const onMigration = {
    onBegin() {},
    onEnd() {
      old.exec('delete from sqlite_stat1')
      old.close()
      Atomics.store(turn, 0, 1)
      Atomics.notify(turn, 0)
      Atomics.wait(turn, 0, 1)
    },
  }
  await runAsRelease([{ name: 'next', sql: 'create table more (name text)' }], () =>
    openSqlite({ path, ...TEST_STORE_OPTIONS, onMigration }).close(),
  )
  await once(command, 'exit')
})
