import assert from 'node:assert/strict'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { collectStatements } from '#test/support/engines/declared-statements.ts'

// This has to run before anything else loads modules that build statements.
const statements = await collectStatements()
const { Slot } = await import('#db/core/statement.ts')
const { applyMigrations } = await import('#db/migrate/migrate-sqlite.ts')
const { MIGRATIONS } = await import('#db/migrate/migrations.ts')
const { createSqliteConnection } = await import('#db/sqlite/connection.ts')

/** Statements about the machine of a PostgreSQL server, which SQLite cannot parse. */
const ONLY_POSTGRES = /clock_timestamp|pg_control_system/
const CONSTRAINT = 19
/** Bound to every parameter. No time or id contains it with a fraction. */
const NUMBER = 4_711
const FRACTION = `${NUMBER}.0`

interface CheckedDatabase {
  db: DatabaseSync
  /** By column: selects a row in which a whole number is no integer. */
  fractions: Map<string, StatementSync>
}

/**
 * A database without foreign keys and checks, so that every statement can run. `isFilled`: each table
 * has a row with the number in every column.
 */
function createLenientDatabase(isFilled: boolean): CheckedDatabase {
  const db = new DatabaseSync(':memory:')
  applyMigrations(db, MIGRATIONS)
  db.exec('pragma foreign_keys = off; pragma ignore_check_constraints = on')
  const tables = db.prepare(
    `select name from pragma_table_list where schema = 'main' and type = 'table'
      and name not like 'sqlite%'`,
  )
  const columnsOf = db.prepare('select name from pragma_table_xinfo(?) where hidden = 0')
  const fractions = new Map<string, StatementSync>()
  for (const { name: table } of tables.all()) {
    const columns = columnsOf.all(String(table)).map(({ name }) => String(name))
    const names = columns.map((column) => `"${column}"`).join()
    // A task that were its own parent would never end a recursive statement.
    const values = columns.map((column) => (column === 'parent_id' ? NUMBER + 1 : NUMBER)).join()
    if (isFilled) db.exec(`insert or replace into "${table}" (${names}) values (${values})`)
    for (const column of columns) {
      const select = db.prepare(`select 1 from "${table}"
        where typeof("${column}") = 'real' or "${column}" like '%${FRACTION}%'`)
      fractions.set(`${table}.${column}`, select)
    }
  }
  return { db, fractions }
}

const resultCode = (error: unknown) =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0

test('no statement turns a whole number into a fraction on SQLite', async () => {
  const faults = new Set<string>()
  let runs = 0
  for (const { db, fractions } of [createLenientDatabase(false), createLenientDatabase(true)]) {
    const connection = createSqliteConnection(db)
    for (const { text, at } of statements) {
      const { sql, values } = text('sqlite')
      if (ONLY_POSTGRES.test(sql)) continue
      db.exec('begin')
      // Twice, because an upsert calculates only with a row that is there.
      for (const _ of ['first', 'second']) {
        const bound = values.map((value) => (value instanceof Slot ? NUMBER : value))
        try {
          const rows = await connection.rows(sql, bound)
          if (JSON.stringify(rows).includes(FRACTION)) faults.add(`${at}: ${sql}`)
          runs += 1
        } catch (error) {
          if (resultCode(error) !== CONSTRAINT) throw new Error(`${at}: ${sql}`, { cause: error })
        }
      }
      for (const [column, select] of fractions) if (select.get()) faults.add(`${at}: ${column}`)
      db.exec('rollback')
    }
    db.close()
  }
  assert.deepEqual([...faults], [])
  assert.ok(runs > 2 * statements.length, `${runs} runs of ${statements.length} statements`)
})
