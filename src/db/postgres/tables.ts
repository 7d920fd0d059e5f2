import type pg from 'pg'
import { MIGRATIONS } from '../migrate/migrations.ts'
import { renderMigrationSql } from '../migrate/schema-version.ts'
import { NO_QUERY_TIMEOUT } from './pool.ts'

/** Creates the tables of a schema version in an empty database. */
export async function createPostgresTables(db: pg.ClientBase, version: number): Promise<void> {
  await db.query({
    ...NO_QUERY_TIMEOUT,
    text: 'create table schema_version (version integer not null)',
  })
  for (const [at, migration] of MIGRATIONS.slice(0, version).entries()) {
    // The loaded rows are in their latest state, so backfills are skipped.
    if (!('fill' in migration))
      await db.query({ ...NO_QUERY_TIMEOUT, text: renderMigrationSql(migration, 'postgres') })
    const values = [at + 1]
    await db.query({ ...NO_QUERY_TIMEOUT, text: 'insert into schema_version values ($1)', values })
  }
}

/**
 * The tables that a schema version has, without unlogged ones. Other tables in the same database
 * belong to other programs.
 */
export const docketTables = (version: number): string[] =>
  MIGRATIONS.slice(0, version)
    .flatMap((migration) => [
      ...renderMigrationSql(migration, 'postgres').matchAll(/^\s*create table (\w+)/gm),
    ])
    .map(([, table = '']) => table)
    .toSorted()

/** Lists the foreign keys: their tables, names and definitions. */
export const LIST_FOREIGN_KEYS_SQL = `select conrelid::regclass::text as of, conname as name,
    pg_get_constraintdef(oid) as is from pg_constraint
  where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`
