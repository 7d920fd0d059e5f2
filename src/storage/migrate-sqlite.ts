import type { DatabaseSync } from 'node:sqlite'
import { keepCopy } from './kept-copy.ts'
import {
  BATCH,
  type Migrated,
  nameOfOldest,
  oldestFor,
  pendingAfter,
  type Schema,
  schemaFrom,
  sqlOf,
  type Told,
} from './migrate.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import { NOTES, refuseUnfinished } from './move/end.ts'

/** Applies what is missing, all or nothing, and keeps a copy of what there was before. */
export function migrateSqlite(db: DatabaseSync, told?: Told): Migrated {
  db.exec('pragma busy_timeout = 30000; begin immediate')
  try {
    refuseUnfinished(holdsTable(db, NOTES))
    const schema = schemaOfSqlite(db)
    const { version: from } = schema
    const pending = pendingAfter(schema, told)
    const to = from + pending.length
    const path = db.location()
    // Under the lock, so that it is of the very state that is migrated, and of one runner only.
    if (from > 0 && pending.length > 0 && path !== null) keepCopy(path, from)
    applyMigrations(db, pending)
    if (pending.length > 0) {
      const note = db.prepare('insert or replace into installation values (?, ?)')
      note.run(nameOfOldest(to), `${oldestFor(to)}`)
    }
    db.exec('commit; pragma busy_timeout = 0')
    return { engine: 'sqlite', from, to, applied: pending.map(({ name }) => name) }
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** What a database tells of its schema. */
export function schemaOfSqlite(db: DatabaseSync): Schema {
  const tell = (sql: string, ...values: string[]) =>
    Object.values(db.prepare(sql).get(...values) ?? {})[0]
  const version = Number(tell('pragma user_version'))
  const isMade = holdsTable(db, 'installation')
  const oldest =
    isMade && tell('select value from installation where name = ?', nameOfOldest(version))
  return schemaFrom(version, oldest || undefined)
}

/** Applies migrations up to the last, within a transaction. */
export function applyMigrations(db: DatabaseSync, pending: readonly Migration[]): void {
  for (const migration of pending) apply(db, migration)
  if (pending.length > 0) db.exec(`pragma user_version = ${MIGRATIONS.length}`)
}

/** Whether a database has a table. */
export function holdsTable(db: DatabaseSync, name: string): boolean {
  const found = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?")
  return found.get(name) !== undefined
}

function apply(db: DatabaseSync, migration: Migration): void {
  const sql = sqlOf(migration, 'sqlite')
  if (!('fill' in migration)) db.exec(sql)
  else while (Number(db.prepare(sql).run().changes) >= BATCH);
}
