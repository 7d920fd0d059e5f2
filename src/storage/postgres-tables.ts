import type pg from 'pg'
import { sqlOf } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { PATIENT } from './postgres-pool.ts'

/** Makes the tables as they were at a version, where there are none. */
export async function createTables(db: pg.ClientBase, version: number): Promise<void> {
  await db.query({ ...PATIENT, text: 'create table schema_version (version integer not null)' })
  for (const [at, migration] of MIGRATIONS.slice(0, version).entries()) {
    // Rows come as they were last: there is nothing to fill.
    if (!('fill' in migration)) await db.query({ ...PATIENT, text: sqlOf(migration, 'postgres') })
    const values = [at + 1]
    await db.query({ ...PATIENT, text: 'insert into schema_version values ($1)', values })
  }
}

/** References from table to table: of which, their names, and how they are made. */
export const REFERENCES = `select conrelid::regclass::text as of, conname as name,
    pg_get_constraintdef(oid) as is from pg_constraint
  where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace`
