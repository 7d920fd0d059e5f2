import type { Engine } from '#core/tx.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

/** What a migration run did: versions are counts of migrations applied. */
export interface Migrated {
  engine: Engine
  from: number
  to: number
  applied: string[]
}

/** What a database tells of its schema, as counts of migrations. */
export interface Schema {
  version: number
  /** The least that code has to know to work on it. */
  oldest: number
}

/** Whoever opens a database hears what an operator should know of its schema. */
export type Told = (what: string, figures: object) => void

/** Code that knows fewer looks at the version alone, and refuses a newer one by itself. */
const FIRST_BESIDE = 10

/** The value of the installation that tells the oldest code for a version, of this version alone. */
export const nameOfOldest = (version: number): string => `schema ${version}`

/** A version without such a value was made by code that nothing older could run beside. */
export const schemaFrom = (version: unknown, oldest: unknown): Schema => ({
  version: Number(version ?? 0),
  oldest: Number(oldest ?? version ?? 0),
})

/** The oldest code that may work on a database with so many migrations. Throws on an unknown name. */
export function oldestFor(version: number, all: readonly Migration[] = MIGRATIONS): number {
  let oldest = Math.min(FIRST_BESIDE, version)
  for (const { name, contracts } of all.slice(0, version)) {
    if (contracts === undefined) continue
    const at = all.findIndex((one) => one.name === contracts)
    if (at === -1) throw new Error(`${name} contracts ${contracts}, which is no migration.`)
    oldest = Math.max(oldest, at + 1)
  }
  return oldest
}

/** Whether this code may work on a database. */
export const mayWorkOn = ({ oldest }: Schema): boolean => oldest <= MIGRATIONS.length

/**
 * The migrations that a database still needs. Refuses one that is newer than the code, unless it bears
 * the code: that is told.
 */
export function pendingAfter(schema: Schema, told: Told = () => {}): readonly Migration[] {
  const { version, oldest } = schema
  const knows = MIGRATIONS.length
  if (!mayWorkOn(schema)) {
    throw new Error(
      `The database is at version ${version} and this Docket knows ${knows}: ` +
        'start the newer Docket that migrated it, or restore a backup from before.',
    )
  }
  if (version > knows) told('The database is of a newer Docket', { version, knows, oldest })
  return MIGRATIONS.slice(version)
}

/** So many rows a fill changes at a time: their locks are held for some milliseconds. */
export const BATCH = 1_000

/** The SQL of a migration for an engine, where it is done in one transaction; of a fill, one time of it. */
export function sqlOf(migration: Migration, engine: Engine): string {
  if ('fill' in migration) return migration.fill.replace('{batch}', `${BATCH}`)
  if ('index' in migration) {
    const { name, table, columns } = migration.index
    return `create index ${name} on ${table} ${columns};`
  }
  const { sql, onlyOnSqlite = {}, sqlite = '', postgres = '' } = migration
  if (engine === 'sqlite') {
    return sql.replaceAll(/\{(\w+)\}/g, (_, name) => onlyOnSqlite[name] ?? '') + sqlite
  }
  // Texts compare by their bytes, as they do on SQLite, whatever the locale of the database.
  const portable = sql.replaceAll(/\{\w+\}\n/g, '').replaceAll(/\btext\b/g, 'text collate "C"')
  return portable + postgres.replaceAll(/\btext\b/g, 'text collate "C"')
}
