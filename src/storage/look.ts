import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE } from './data-dir.ts'
import { NOTES } from './move/end.ts'
import { holdsTable } from './sqlite.ts'

/** What a database tells of itself to somebody who changes nothing. */
export interface Looked {
  /** Of the engine, such as `SQLite 3.51.3`. */
  version: string
  /** Migrations applied; 0: Docket was never started on it. */
  schema: number
  /** Whether a move to it is not finished: then nothing opens it. */
  unfinished: boolean
  /** What only the right secret gives. */
  secret_proof: string | undefined
  /** Milliseconds by which its clock is ahead of this one, give or take half a round trip. */
  ahead: number
  /** Settings by which an acknowledged write could be lost. */
  unsafe: string[]
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
    const schema = Number(tell('pragma user_version'))
    const proof = schema > 0 && tell("select value from installation where name = 'secret_proof'")
    const mode = tell('pragma journal_mode')
    return {
      version: `SQLite ${tell('select sqlite_version()')}`,
      schema,
      unfinished: holdsTable(db, NOTES),
      secret_proof: typeof proof === 'string' ? proof : undefined,
      // It is in the process, and has no clock of its own: what was written last must not be ahead.
      ahead: Math.max(0, ...[path, `${path}-wal`].map(writtenAhead)),
      // A restored one is switched over by the first start.
      unsafe: mode === 'wal' || mode === 'delete' ? [] : [`journal_mode = ${mode}`],
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
  const { durabilityFaults, openPool } = await import('./postgres.ts')
  const pool = openPool({ url, pool: 1 })
  try {
    const one = async (sql: string) => (await pool.query(sql)).rows[0] ?? {}
    const { version } = await one("select current_setting('server_version') as version")
    const { taken, unfinished } = await one(
      `select to_regclass('schema_version') is not null as taken,
        to_regclass('${NOTES}') is not null as unfinished`,
    )
    const { schema } = taken ? await one('select max(version) as schema from schema_version') : {}
    const { proof } = taken
      ? await one("select value as proof from installation where name = 'secret_proof'")
      : {}
    const asked = Date.now()
    const { now } = await one('select extract(epoch from clock_timestamp()) * 1000 as now')
    const here = (asked + Date.now()) / 2
    return {
      version: `PostgreSQL ${version}`,
      schema: Number(schema ?? 0),
      unfinished: unfinished === true,
      secret_proof: proof,
      ahead: Number(now) - here,
      unsafe: await durabilityFaults(pool),
    }
  } finally {
    await pool.end()
  }
}
