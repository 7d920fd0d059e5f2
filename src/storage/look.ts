import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE } from './data-dir.ts'
import { durabilityFaults } from './durable.ts'
import { holdsTable, schemaOfSqlite } from './migrate-sqlite.ts'
import { NOTES } from './move/end.ts'

/** What a database tells of itself to somebody who changes nothing. */
export interface Looked {
  /** Of the engine, such as `SQLite 3.51.3`. */
  version: string
  /** Migrations applied; 0: Docket was never started on it. */
  schema: number
  /** Migrations that code has to know at least to work on it. */
  oldest: number
  /** Whether a move to it is not finished: then nothing opens it. */
  unfinished: boolean
  /** What only the right secret gives. */
  secret_proof: string | undefined
  /** Milliseconds by which its clock is ahead of this one, give or take half a round trip. */
  ahead: number
  /** Settings by which an acknowledged write could be lost. */
  unsafe: string[]
  /** Whether statements may run for ever: a pooler has dropped the time-outs that Docket asks for. */
  isUntimed: boolean
  /** Tables in parts, and how many parts each has: PostgreSQL after `docket partition`. */
  parted: ReadonlyMap<string, number>
}

/** Where a database is: with an address PostgreSQL, else SQLite in the data directory. */
export interface Where {
  dataDir: string
  databaseUrl: string | undefined
}

/** Looks at the database of an installation; undefined where there is none. Throws where it cannot be read. */
export async function lookAtStore({ dataDir, databaseUrl }: Where): Promise<Looked | undefined> {
  if (databaseUrl !== undefined) return lookAtPostgres(databaseUrl)
  const path = join(dataDir, DATABASE)
  return existsSync(path) ? lookAtSqlite(path) : undefined
}

function lookAtSqlite(path: string): Looked {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const tell = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
    const { version: schema, oldest } = schemaOfSqlite(db)
    const proof = schema > 0 && tell("select value from installation where name = 'secret_proof'")
    const mode = tell('pragma journal_mode')
    return {
      version: `SQLite ${tell('select sqlite_version()')}`,
      schema,
      oldest,
      unfinished: holdsTable(db, NOTES),
      secret_proof: typeof proof === 'string' ? proof : undefined,
      // It is in the process, and has no clock of its own: what was written last must not be ahead.
      ahead: Math.max(0, ...[path, `${path}-wal`].map(writtenAhead)),
      // A restored one is switched over by the first start.
      unsafe: mode === 'wal' || mode === 'delete' ? [] : [`journal_mode = ${mode}`],
      isUntimed: false,
      parted: new Map(),
    }
  } finally {
    db.close()
  }
}

function writtenAhead(path: string): number {
  const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return mtimeMs - Date.now()
}

async function lookAtPostgres(url: string): Promise<Looked> {
  // The driver takes memory that the embedded database does without.
  const { openPool } = await import('./postgres-pool.ts')
  const { schemaOf } = await import('./migrate-postgres.ts')
  const pool = openPool({ url, pool: 1 })
  try {
    const one = async (sql: string) => (await pool.query(sql)).rows[0] ?? {}
    const { version } = await one("select current_setting('server_version') as version")
    const { version: schema, oldest } = await schemaOf(pool)
    const { proof } =
      schema > 0
        ? await one("select value as proof from installation where name = 'secret_proof'")
        : {}
    const { rows } = await pool.query<{ name: string; parts: number }>(IN_PARTS)
    const { unfinished } = await one(`select to_regclass('${NOTES}') is not null as unfinished`)
    const asked = Date.now()
    const { now } = await one('select extract(epoch from clock_timestamp()) * 1000 as now')
    const here = (asked + Date.now()) / 2
    return {
      version: `PostgreSQL ${version}`,
      schema,
      oldest,
      unfinished: unfinished === true,
      secret_proof: proof,
      ahead: Number(now) - here,
      unsafe: await durabilityFaults(pool),
      isUntimed: (await one('show statement_timeout')).statement_timeout === '0',
      parted: new Map(rows.map(({ name, parts }) => [name, parts])),
    }
  } finally {
    await pool.end()
  }
}

const IN_PARTS = `select relname as name, (select count(*) from pg_inherits where inhparent = oid) as parts
  from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'p' order by relname`
