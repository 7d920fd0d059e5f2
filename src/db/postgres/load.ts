import type pg from 'pg'
import { conflict } from '#core/api-error.ts'
import { END_COPIED_LEASES_SQL } from '../deliveries/delivery-queue.ts'
import { MIGRATION_LOCK_ID } from '../migrate/migrate-postgres.ts'
import { NO_QUERY_TIMEOUT, openPostgresPool } from './pool.ts'
import { createPostgresTables, docketTables, LIST_FOREIGN_KEYS_SQL } from './tables.ts'

/** The contents to load into an empty PostgreSQL database. */
interface PostgresLoadOptions {
  url: string
  /** The schema version of the rows, as a number of migrations. */
  schema: number
  /** The expected number of rows by table. */
  counts: Readonly<Record<string, number>>
  /** The dumped rows of a table, in batches. */
  readLines(table: string): AsyncIterable<readonly string[]>
  /** Values of `installation` to replace. */
  values: Readonly<Record<string, string>>
  /** Runs when a table is begun. */
  onTable(table: string): void
  /** Checks all rows before they are committed; an error leaves the database empty. */
  verify?(select: SelectRows): Promise<void>
}

/** Whether a PostgreSQL database already contains Docket's tables. */
export async function hasDocketTables(url: string): Promise<boolean> {
  const pool = openPostgresPool({ url, maxConnections: 1 })
  try {
    const { rows } = await pool.query("select to_regclass('schema_version') is not null as taken")
    return rows[0]?.taken === true
  } finally {
    await pool.end()
  }
}

/**
 * Creates the tables and fills them in one transaction. Foreign keys are created again after the rows,
 * which checks them; a server that starts meanwhile waits.
 */
export async function loadPostgres(load: PostgresLoadOptions): Promise<void> {
  const pool = openPostgresPool({ url: load.url, maxConnections: 1 })
  try {
    const client = await pool.connect()
    try {
      await fillDatabase(client, load)
    } finally {
      client.release(true)
    }
    await pool.query({
      ...NO_QUERY_TIMEOUT,
      text: 'begin; set local statement_timeout = 0; analyze; commit',
    })
  } finally {
    await pool.end()
  }
}

async function fillDatabase(client: pg.PoolClient, load: PostgresLoadOptions): Promise<void> {
  const select = async (text: string, values: unknown[] = []) =>
    (await client.query({ ...NO_QUERY_TIMEOUT, text, values })).rows
  const run = (text: string) => client.query({ ...NO_QUERY_TIMEOUT, text })
  await run('begin; set local statement_timeout = 0; set local lock_timeout = 0')
  await run('set local idle_in_transaction_session_timeout = 0')
  await select('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK_ID])
  const [target] = await select("select to_regclass('schema_version') is not null as taken")
  if (target?.taken) {
    throw conflict('store_not_empty', 'This database has Docket data. Choose an empty one.')
  }
  await createPostgresTables(client, load.schema)
  const tables = listTablesToLoad(load)
  const references = (await select(LIST_FOREIGN_KEYS_SQL)).filter(({ of }) =>
    tables.includes(String(of)),
  )
  for (const { of, name } of references) await run(`alter table ${of} drop constraint "${name}"`)
  // Migrations insert some rows, which the backup contains in their latest state.
  await run(`truncate ${tables.map((table) => `"${table}"`).join()}`)
  for (const table of tables) {
    load.onTable(table)
    await fillTable(select, table, load)
  }
  for (const { of, name, is } of references) {
    await run(`alter table ${of} add constraint "${name}" ${is}`)
  }
  await load.verify?.(select)
  for (const [name, value] of Object.entries(load.values)) {
    await select(
      'insert into installation values ($1, $2) on conflict (name) do update set value = $2',
      [name, value],
    )
  }
  await run(END_COPIED_LEASES_SQL)
  await run('commit')
}

/** Runs a statement in the transaction that loads, and returns its rows. */
export type SelectRows = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>

async function fillTable(
  select: SelectRows,
  table: string,
  { readLines, counts }: PostgresLoadOptions,
): Promise<void> {
  const into = `insert into "${table}" select * from json_populate_recordset(null::"${table}", $1)`
  for await (const lines of readLines(table)) await select(into, [`[${lines.join()}]`])
  const [count] = await select(`select count(*) as n from "${table}"`)
  if (Number(count?.n) !== counts[table]) {
    throw new Error(`${table} has ${count?.n} rows, and not ${counts[table]}`)
  }
}

/** Every table of the schema version must be in the backup; its other tables are not Docket's. */
function listTablesToLoad({ counts, schema }: PostgresLoadOptions): string[] {
  const tables = docketTables(schema)
  const missing = tables.filter((table) => !(table in counts))
  if (missing.length > 0) throw new Error(`The backup lacks: ${missing.join(', ')}`)
  return tables
}
