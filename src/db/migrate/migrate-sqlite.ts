import type { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS, type Migration } from './migrations.ts'
import {
  BACKFILL_BATCH_SIZE,
  type MigrationListener,
  type MigrationResult,
  minCodeVersionFor,
  minCodeVersionKey,
  pendingMigrations,
  renderMigrationSql,
  type SchemaEventListener,
  type SchemaVersion,
  savePreMigrationCopy,
  toSchemaVersion,
} from './schema-version.ts'

/**
 * Applies the pending migrations in one transaction, after copying the database. From then on the
 * connection waits for other writers.
 */
export function migrateSqlite(
  db: DatabaseSync,
  onEvent?: SchemaEventListener,
  listener?: MigrationListener,
): MigrationResult {
  db.exec('pragma busy_timeout = 30000; begin immediate')
  try {
    const schema = readSqliteSchema(db)
    const { version: from } = schema
    const pending = pendingMigrations(schema, onEvent)
    const to = from + pending.length
    const path = db.location()
    // Copied under the write lock, so that one runner alone copies exactly the state it migrates.
    const isMigration = from > 0 && pending.length > 0
    if (isMigration) listener?.onBegin({ from, to })
    const copy = isMigration && path !== null && savePreMigrationCopy(path, from)
    applyMigrations(db, pending)
    if (pending.length > 0) {
      const upsert = db.prepare('insert or replace into installation values (?, ?)')
      upsert.run(minCodeVersionKey(to), `${minCodeVersionFor(to)}`)
    }
    db.exec('commit')
    const applied = pending.map(({ name }) => name)
    const result = { engine: 'sqlite', from, to, applied, ...(copy && { copy }) } as const
    if (isMigration) listener?.onEnd(result)
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** Reads the schema version of a database. */
export function readSqliteSchema(db: DatabaseSync): SchemaVersion {
  const readValue = (sql: string, ...values: string[]) =>
    Object.values(db.prepare(sql).get(...values) ?? {})[0]
  const version = Number(readValue('pragma user_version'))
  const isMade = hasSqliteTable(db, 'installation')
  const oldest =
    isMade && readValue('select value from installation where name = ?', minCodeVersionKey(version))
  return toSchemaVersion(version, oldest || undefined)
}

/** Applies the given migrations, up to the newest one, within a transaction. */
export function applyMigrations(db: DatabaseSync, pending: readonly Migration[]): void {
  for (const migration of pending) applyMigration(db, migration)
  if (pending.length > 0) db.exec(`pragma user_version = ${MIGRATIONS.length}`)
}

/** Whether a database has a table. */
export function hasSqliteTable(db: DatabaseSync, name: string): boolean {
  const select = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?")
  return select.get(name) !== undefined
}

function applyMigration(db: DatabaseSync, migration: Migration): void {
  const sql = renderMigrationSql(migration, 'sqlite')
  if (!('fill' in migration)) db.exec(sql)
  else while (Number(db.prepare(sql).run().changes) >= BACKFILL_BATCH_SIZE);
}
