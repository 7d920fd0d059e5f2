import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readSqliteSchema } from '../migrate/migrate-sqlite.ts'
import {
  findDurabilityFaults,
  findPostgresVersionProblem,
  type PostgresVersionProblem,
} from '../postgres/server-checks.ts'
import { DATABASE_FILENAME } from './data-dir.ts'

/** The state of a database, read without changing anything. */
export interface DatabaseStatus {
  /** The engine's version, such as `SQLite 3.51.3`. */
  version: string
  /** What is wrong with this version of PostgreSQL. */
  versionProblem?: PostgresVersionProblem | undefined
  /** Migrations applied; 0: Docket was never started on it. */
  schema: number
  /** How many migrations a release must know at least to work on this database. */
  minCodeVersion: number
  /** An HMAC by which the right secret is recognized. */
  secret_proof: string | undefined
  /** How many milliseconds its clock is ahead of this machine's, accurate to half a round trip. */
  clockAheadMs: number
  /** Settings by which an acknowledged write could be lost. */
  unsafeSettings: string[]
  /** Whether statements have no time-out: a pooler has dropped the settings that Docket sends. */
  lacksStatementTimeout: boolean
}

/** Where the database is: PostgreSQL if an address is set, else SQLite in the data directory. */
export interface DatabaseLocation {
  dataDir: string
  databaseUrl: string | undefined
}

/**
 * Inspects the database of an installation. Undefined if there is none; throws if it cannot be read.
 */
export async function inspectDatabase({
  dataDir,
  databaseUrl,
}: DatabaseLocation): Promise<DatabaseStatus | undefined> {
  if (databaseUrl !== undefined) return inspectPostgres(databaseUrl)
  const path = join(dataDir, DATABASE_FILENAME)
  return existsSync(path) ? inspectSqlite(path) : undefined
}

function inspectSqlite(path: string): DatabaseStatus {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const readValue = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
    const { version: schema, minCodeVersion } = readSqliteSchema(db)
    const proof =
      schema > 0 && readValue("select value from installation where name = 'secret_proof'")
    const mode = readValue('pragma journal_mode')
    return {
      version: `SQLite ${readValue('select sqlite_version()')}`,
      schema,
      minCodeVersion,
      secret_proof: typeof proof === 'string' ? proof : undefined,
      // SQLite has no clock of its own; instead the file's last write must not lie in the future.
      clockAheadMs: Math.max(0, ...[path, `${path}-wal`].map(msInFuture)),
      // A restored database is not in WAL mode until the first start switches it.
      unsafeSettings: mode === 'wal' || mode === 'delete' ? [] : [`journal_mode = ${mode}`],
      lacksStatementTimeout: false,
    }
  } finally {
    db.close()
  }
}

function msInFuture(path: string): number {
  const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return mtimeMs - Date.now()
}

async function inspectPostgres(url: string): Promise<DatabaseStatus> {
  // Imported on demand: with SQLite the driver would only take memory.
  const { openPostgresPool } = await import('../postgres/pool.ts')
  const { readPostgresSchema } = await import('../migrate/migrate-postgres.ts')
  const pool = openPostgresPool({ url, maxConnections: 1 })
  try {
    const queryRow = async (sql: string) => (await pool.query(sql)).rows[0] ?? {}
    const { version } = await queryRow("select current_setting('server_version') as version")
    const { version: schema, minCodeVersion } = await readPostgresSchema(pool)
    const { proof } =
      schema > 0
        ? await queryRow("select value as proof from installation where name = 'secret_proof'")
        : {}
    const queriedAt = Date.now()
    const { now } = await queryRow('select extract(epoch from clock_timestamp()) * 1000 as now')
    const localTime = (queriedAt + Date.now()) / 2
    return {
      version: `PostgreSQL ${version}`,
      versionProblem: findPostgresVersionProblem(String(version)),
      schema,
      minCodeVersion,
      secret_proof: proof,
      clockAheadMs: Number(now) - localTime,
      unsafeSettings: await findDurabilityFaults(pool),
      lacksStatementTimeout: (await queryRow('show statement_timeout')).statement_timeout === '0',
    }
  } finally {
    await pool.end()
  }
}
