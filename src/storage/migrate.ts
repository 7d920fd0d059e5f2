import type { Engine } from '#core/tx.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

/** What a migration run did: versions are counts of migrations applied. */
export interface Migrated {
  engine: Engine
  from: number
  to: number
  applied: string[]
}

/** The SQL of a migration for an engine. */
export function sqlOf(migration: Migration, engine: Engine): string {
  const { sql, onlyOnSqlite = {}, sqlite = '', postgres = '' } = migration
  if (engine === 'sqlite') {
    return sql.replaceAll(/\{(\w+)\}/g, (_, name) => onlyOnSqlite[name] ?? '') + sqlite
  }
  // Texts compare by their bytes, as they do on SQLite, whatever the locale of the database.
  const portable = sql.replaceAll(/\{\w+\}\n/g, '').replaceAll(/\btext\b/g, 'text collate "C"')
  return portable + postgres.replaceAll(/\btext\b/g, 'text collate "C"')
}

/** The migrations that a database at `version` still needs. Refuses one that is newer than the code. */
export function pendingAfter(version: number): readonly Migration[] {
  if (version > MIGRATIONS.length) {
    throw new Error(
      `The database is at version ${version} and this Docket knows ${MIGRATIONS.length}: ` +
        'start the newer Docket that migrated it, or restore a backup from before.',
    )
  }
  return MIGRATIONS.slice(version)
}
