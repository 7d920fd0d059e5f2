import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasSqliteTable } from '../migrate/migrate-sqlite.ts'
import { DATABASE_FILENAME } from './data-dir.ts'
import type { DatabaseLocation } from './inspect-database.ts'

const SELECT_PROOF = "select value from installation where name = 'secret_proof'"

/**
 * Reads by which secret a database was created, without changing anything; undefined for a database
 * that was never opened.
 */
export async function readStoredSecretProof({
  dataDir,
  databaseUrl,
}: DatabaseLocation): Promise<string | undefined> {
  return databaseUrl === undefined ? readSqliteProof(dataDir) : readPostgresProof(databaseUrl)
}

function readSqliteProof(dataDir: string): string | undefined {
  const path = join(dataDir, DATABASE_FILENAME)
  if (!existsSync(path)) return undefined
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const row = hasSqliteTable(db, 'installation') ? db.prepare(SELECT_PROOF).get() : undefined
    return row && String(row.value)
  } finally {
    db.close()
  }
}

async function readPostgresProof(url: string): Promise<string | undefined> {
  // Imported on demand: with SQLite the driver would only take memory.
  const { openPostgresPool } = await import('../postgres/pool.ts')
  const pool = openPostgresPool({ url, maxConnections: 1 })
  try {
    const exists = await pool.query("select to_regclass('installation') is not null as exists")
    if (exists.rows[0]?.exists !== true) return undefined
    const { rows } = await pool.query<{ value: string }>(SELECT_PROOF)
    return rows[0]?.value
  } finally {
    await pool.end()
  }
}
