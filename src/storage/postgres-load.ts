import type pg from 'pg'
import { MIGRATING } from './migrate-postgres.ts'
import { TABLES } from './postgres-dump.ts'
import { openPool, PATIENT } from './postgres-pool.ts'
import { createTables, REFERENCES } from './postgres-tables.ts'

/** What is to be in a PostgreSQL database that is empty now. */
export interface Load {
  url: string
  /** The number of migrations that the rows have. */
  schema: number
  /** Rows by table, as they must be in the end. */
  counts: Readonly<Record<string, number>>
  /** The rows of a table as they were dumped, some at a time. */
  linesOf(table: string): AsyncIterable<readonly string[]>
  /** Values of the installation that are to be others. */
  values: Readonly<Record<string, string>>
  /** Hears of every table that is begun. */
  told(table: string): void
}

/** Whether Docket has its tables in a PostgreSQL database. */
export async function isPostgresTaken(url: string): Promise<boolean> {
  const pool = openPool({ url, pool: 1 })
  try {
    const { rows } = await pool.query("select to_regclass('schema_version') is not null as taken")
    return rows[0]?.taken === true
  } finally {
    await pool.end()
  }
}

/**
 * Makes the tables and fills them, in one transaction: all of it or nothing. References are made again
 * when the rows are in, and so are checked; a server that starts meanwhile waits.
 */
export async function loadPostgres(load: Load): Promise<void> {
  const pool = openPool({ url: load.url, pool: 1 })
  try {
    const client = await pool.connect()
    try {
      await fill(client, load)
    } finally {
      client.release(true)
    }
    await pool.query({
      ...PATIENT,
      text: 'begin; set local statement_timeout = 0; analyze; commit',
    })
  } finally {
    await pool.end()
  }
}

async function fill(client: pg.PoolClient, load: Load): Promise<void> {
  const ask = async (text: string, values: unknown[] = []) =>
    (await client.query({ ...PATIENT, text, values })).rows
  const run = (text: string) => client.query({ ...PATIENT, text })
  await run('begin; set local statement_timeout = 0; set local lock_timeout = 0')
  await ask('select pg_advisory_xact_lock($1)', [MIGRATING])
  await createTables(client, load.schema)
  const references = await ask(REFERENCES)
  for (const { of, name } of references) await run(`alter table ${of} drop constraint "${name}"`)
  const tables = await tablesFor(ask, load)
  // Migrations bring some rows themselves, and the backup has them as they were last.
  await run(`truncate ${tables.map((table) => `"${table}"`).join()}`)
  for (const table of tables) {
    load.told(table)
    await fillTable(ask, table, load)
  }
  for (const { of, name, is } of references) {
    await run(`alter table ${of} add constraint "${name}" ${is}`)
  }
  for (const [name, value] of Object.entries(load.values)) {
    await ask(
      'insert into installation values ($1, $2) on conflict (name) do update set value = $2',
      [name, value],
    )
  }
  await run('commit')
}

type Ask = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>

async function fillTable(ask: Ask, table: string, { linesOf, counts }: Load): Promise<void> {
  const into = `insert into "${table}" select * from json_populate_recordset(null::"${table}", $1)`
  for await (const lines of linesOf(table)) await ask(into, [`[${lines.join()}]`])
  const [found] = await ask(`select count(*) as n from "${table}"`)
  if (Number(found?.n) !== counts[table]) {
    throw new Error(`${table} has ${found?.n} rows, and not ${counts[table]}`)
  }
}

/** Each table of this schema must be in the backup; what else that has was never Docket's. */
async function tablesFor(ask: Ask, { counts }: Load): Promise<string[]> {
  const tables = (await ask(TABLES)).map(({ name }) => String(name))
  const lacking = tables.filter((table) => !(table in counts))
  if (lacking.length > 0) throw new Error(`The backup lacks: ${lacking.join(', ')}`)
  return tables
}
