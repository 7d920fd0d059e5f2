import type pg from 'pg'
import { MIGRATIONS } from '../migrate/migrations.ts'
import type { BackupContents } from '../sqlite/backup.ts'
import { docketTables } from './create-tables.ts'
import { NO_QUERY_TIMEOUT, openPostgresPool } from './pool.ts'

/** Receives lines of a table; its promise applies back pressure. */
export type DumpWriter = (table: string, lines: readonly string[]) => Promise<void>

/** Rows per fetch; the largest rows have about 100 kB. */
const FETCH_SIZE = 500

/**
 * Reads all rows of a PostgreSQL database from one snapshot, as JSON, table by table. Text, integers
 * and null survive JSON unchanged. A table without rows is passed with no lines.
 */
export async function dumpPostgres(url: string, write: DumpWriter): Promise<BackupContents> {
  const pool = openPostgresPool({ url, maxConnections: 1 })
  try {
    const client = await pool.connect()
    try {
      return await dump(client, write)
    } finally {
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

async function dump(client: pg.PoolClient, write: DumpWriter): Promise<BackupContents> {
  const select = async (text: string) => (await client.query({ ...NO_QUERY_TIMEOUT, text })).rows
  await select('begin isolation level repeatable read read only')
  await select('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
  const [version] = await select('select max(version) as schema from schema_version')
  const [proof] = await select("select value from installation where name = 'secret_proof'")
  const counts: Record<string, number> = {}
  for (const table of await listTablesToDump(Number(version?.schema), select)) {
    counts[table] = 0
    await write(table, [])
    await select(
      `declare lines no scroll cursor for select row_to_json(t)::text as line from "${table}" t`,
    )
    for (;;) {
      const rows = await select(`fetch ${FETCH_SIZE} from lines`)
      if (rows.length === 0) break
      counts[table] += rows.length
      await write(
        table,
        rows.map(({ line }) => String(line)),
      )
    }
    await select('close lines')
  }
  await select('commit')
  return { schema: Number(version?.schema), counts, secret_proof: proof?.value }
}

/** A newer release may have added tables of which this one knows nothing: then it dumps all. */
async function listTablesToDump(
  version: number,
  select: (text: string) => Promise<{ name?: unknown }[]>,
): Promise<string[]> {
  if (version <= MIGRATIONS.length) return docketTables(version)
  return (await select(LIST_TABLES_SQL)).map(({ name }) => String(name))
}

/** Lists the tables of the schema, without unlogged tables and without partitions. */
export const LIST_TABLES_SQL = `select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    and not relispartition and relpersistence = 'p' and relname <> 'schema_version' order by relname`
