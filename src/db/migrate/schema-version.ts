import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DatabaseEngine } from '#core/transaction.ts'
import { ensurePrivateDatabase } from '../sqlite/private-file.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

/**
 * Copies the committed state of a SQLite database to `<path>.v<version>`: migrations only go forward,
 * and one may be wrong. The copy gets its final name once it is complete and on the disk. Returns its
 * path.
 */
export function savePreMigrationCopy(path: string, version: number): string {
  const copy = `${path}.v${version}`
  const draft = `${path}.draft`
  rmSync(draft, { force: true })
  // SQLite accepts an existing file if it is empty.
  ensurePrivateDatabase(draft)
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    db.prepare('vacuum into ?').run(draft)
    flush(draft)
    renameSync(draft, copy)
    flush(dirname(path))
    return copy
  } finally {
    db.close()
    rmSync(draft, { force: true })
  }
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

/** The result of a migration run; versions are counts of applied migrations. */
export interface MigrationResult {
  engine: DatabaseEngine
  from: number
  to: number
  applied: string[]
  /** The copy of the database before the migration, which SQLite alone makes. */
  copy?: string
}

/** Receives the beginning and the end of a migration of an existing database. */
export interface MigrationListener {
  onBegin(versions: { from: number; to: number }): void
  onEnd(result: MigrationResult): void
}

/** The schema version of a database, in counts of migrations. */
export interface SchemaVersion {
  version: number
  /** How many migrations a release must know at least to work on it. */
  minCodeVersion: number
}

/** Receives what an operator should know about the schema of a database that is opened. */
export type SchemaEventListener = (what: string, figures: object) => void

/** Key in `installation` for the oldest code that may work on exactly this version. */
export const minCodeVersionKey = (version: number): string => `schema ${version}`

/** Without a value for this very version, no older code may work on it. */
export const toSchemaVersion = (version: unknown, oldest: unknown): SchemaVersion => ({
  version: Number(version ?? 0),
  minCodeVersion: Number(oldest ?? version ?? 0),
})

/** The oldest code that may work on a database of this version. Throws on an unknown name. */
export function minCodeVersionFor(version: number, all: readonly Migration[] = MIGRATIONS): number {
  let oldest = Math.min(1, version)
  for (const { name, contracts } of all.slice(0, version)) {
    if (contracts === undefined) continue
    const at = all.findIndex((one) => one.name === contracts)
    if (at === -1) throw new Error(`${name} contracts ${contracts}, which is no migration.`)
    oldest = Math.max(oldest, at + 1)
  }
  return oldest
}

/** Whether this release may work on a database. */
export const isSchemaCompatible = ({ minCodeVersion }: SchemaVersion): boolean =>
  minCodeVersion <= MIGRATIONS.length

/**
 * The migrations that a database still needs. Throws for a newer database, unless it is compatible
 * with this code; then the difference is reported.
 */
export function pendingMigrations(
  schema: SchemaVersion,
  onEvent: SchemaEventListener = () => {},
): readonly Migration[] {
  const { version, minCodeVersion } = schema
  const knows = MIGRATIONS.length
  if (!isSchemaCompatible(schema)) {
    throw new Error(
      `The database has schema version ${version} and this release has ${knows}: ` +
        'start the newer release that migrated it, or restore an older backup.',
    )
  }
  if (version > knows)
    onEvent('The database was migrated by a newer release', {
      version,
      knows,
      oldest: minCodeVersion,
    })
  return MIGRATIONS.slice(version)
}

/** Rows that a backfill changes at a time, which holds their locks for a few milliseconds. */
export const BACKFILL_BATCH_SIZE = 1_000

/**
 * The SQL of a migration for an engine, as run in one transaction; of a backfill, the SQL of one batch.
 */
export function renderMigrationSql(migration: Migration, engine: DatabaseEngine): string {
  if ('fill' in migration) return migration.fill.replace('{batch}', `${BACKFILL_BATCH_SIZE}`)
  if ('index' in migration) {
    const { name, table, columns } = migration.index
    return `create index ${name} on ${table} ${columns};`
  }
  const { sql } = migration
  const text = typeof sql === 'string' ? sql : sql(engine)
  // Text compares by bytes, as on SQLite, whatever the locale of the database.
  return engine === 'postgres' ? text.replaceAll(/\btext\b/g, 'text collate "C"') : text
}
