import type pg from 'pg'
import { openPool, PATIENT } from './postgres-pool.ts'
import type { Copied } from './sqlite-copy.ts'

/** Takes the lines of a table, and waits until it can take more. */
export type TakeLines = (table: string, lines: readonly string[]) => Promise<void>

/** Rows that are fetched together: the largest have some 100 KB. */
const AT_ONCE = 500

/**
 * Gives all rows of a PostgreSQL database as they are committed at one instant, as JSON, table by
 * table: what is text, a whole number or null comes back from JSON as it was. Tables without rows are
 * told with no lines.
 */
export async function dumpPostgres(url: string, take: TakeLines): Promise<Copied> {
  const pool = openPool({ url, pool: 1 })
  try {
    const client = await pool.connect()
    try {
      return await dump(client, take)
    } finally {
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

async function dump(client: pg.PoolClient, take: TakeLines): Promise<Copied> {
  const ask = async (text: string) => (await client.query({ ...PATIENT, text })).rows
  await ask('begin isolation level repeatable read read only')
  await ask('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
  const [version] = await ask('select max(version) as schema from schema_version')
  const [proof] = await ask("select value from installation where name = 'secret_proof'")
  const counts: Record<string, number> = {}
  for (const { name } of await ask(TABLES)) {
    const table = String(name)
    counts[table] = 0
    await take(table, [])
    await ask(
      `declare lines no scroll cursor for select row_to_json(t)::text as line from "${table}" t`,
    )
    for (;;) {
      const rows = await ask(`fetch ${AT_ONCE} from lines`)
      if (rows.length === 0) break
      counts[table] += rows.length
      await take(
        table,
        rows.map(({ line }) => String(line)),
      )
    }
    await ask('close lines')
  }
  await ask('commit')
  return { schema: Number(version?.schema), counts, secret_proof: proof?.value }
}

/** Tables of the schema, but for those that PostgreSQL may forget; parts of a table are in it. */
export const TABLES = `select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    and not relispartition and relpersistence = 'p' and relname <> 'schema_version' order by relname`
