import type pg from 'pg'
import { shapeOf } from './partition-shape.ts'
import { MIGRATING, openPool, PATIENT } from './postgres.ts'
import { meaningOf } from './postgres-errors.ts'

/** What a table was made into, or was before already. */
export interface Parted {
  table: string
  parts: number
  rows: number
}

/** Hears how far it is: a table, and what is done with it. */
export type TellParting = (what: string) => void

/** Servers that still run may end it in a deadlock when it takes its locks; then nothing was done. */
const TRIES = 10
/** Pages of 8 kB that are copied by one statement. */
const PAGES = 16_384

/**
 * Splits tables of a PostgreSQL database by a hash of their `workspace_id`, each in one transaction and
 * copied within its locks: what is killed leaves a table as it was, and the next run goes on. A table
 * that is split already stays as it is. Throws where anything of a table would be lost.
 */
export async function partitionPostgres(
  url: string,
  tables: readonly string[],
  parts: number,
  told: TellParting,
): Promise<Parted[]> {
  const pool = openPool({ url, pool: 1 })
  try {
    const client = await pool.connect()
    try {
      await client.query('set statement_timeout = 0; set lock_timeout = 0')
      await client.query('set idle_in_transaction_session_timeout = 0')
      const done: Parted[] = []
      for (const table of tables) done.push(await split(client, { table, parts }, told))
      return done
    } finally {
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

type Wanted = Pick<Parted, 'table' | 'parts'>

async function split(client: pg.PoolClient, wanted: Wanted, told: TellParting): Promise<Parted> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await splitOnce(client, wanted, told)
    } catch (error) {
      await client.query('rollback')
      if (meaningOf(error) !== 'again' || tries === TRIES) throw error
    }
  }
}

async function splitOnce(
  client: pg.PoolClient,
  { table, parts }: Wanted,
  told: TellParting,
): Promise<Parted> {
  const run = (text: string) => client.query({ ...PATIENT, text })
  const ask = async (text: string) => (await run(text)).rows[0]
  await run('begin')
  told(`${table}: waiting for who uses it`)
  await run(`select pg_advisory_xact_lock(${MIGRATING})`)
  const before = await shapeOf(client, table)
  if (before.parts > 0) {
    const { rows } = await ask(`select count(*) as rows from "${table}"`)
    await run('rollback')
    return { table, parts: before.parts, rows: Number(rows) }
  }
  for (const one of before.touched) await run(`lock table ${one} in access exclusive mode`)
  told(`${table}: adding up`)
  const sum = await ask(sumOf(table))

  const draft = `${table}_split`
  await run(`create table "${draft}" (like "${table}" including all excluding indexes)
    partition by hash (workspace_id)`)
  for (let part = 0; part < parts; part += 1) {
    const name = `${table}_p${String(part).padStart(String(parts - 1).length, '0')}`
    await run(`create table "${name}" partition of "${draft}"
      for values with (modulus ${parts}, remainder ${part}) ${before.storage}`)
  }
  await copy(client, table, draft, told)
  for (const { name, of } of before.references) {
    await run(`alter table ${of} drop constraint "${name}"`)
  }
  await run(`drop table "${table}"; alter table "${draft}" rename to "${table}"`)
  for (const [at, { name, sql }] of before.made.entries()) {
    told(`${table}: ${name} (${at + 1} of ${before.made.length} indexes and references)`)
    await run(sql)
  }
  told(`${table}: adding up again`)
  const copied = await ask(sumOf(table))
  if (copied.rows !== sum.rows || copied.sum !== sum.sum) {
    throw new Error(`${table} had ${sum.rows} rows and has ${copied.rows}, or others: not changed`)
  }
  const after = await shapeOf(client, table)
  if (after.told !== before.told) {
    throw new Error(
      `${table} would lose something of itself, and is not changed. It has:\n${before.told}\n` +
        `and would have:\n${after.told}`,
    )
  }
  await run(`analyze "${table}"`)
  await run('commit')
  return { table, parts, rows: Number(copied.rows) }
}

/** The rows and what they hold, in whatever order they lie. */
const sumOf = (table: string) =>
  `select count(*) as rows, sum(hashtextextended(t::text, 0))::text as sum from "${table}" t`

/** Copies in the order in which the rows lie. */
async function copy(
  client: pg.PoolClient,
  table: string,
  draft: string,
  told: TellParting,
): Promise<void> {
  const { rows } = await client.query(`select pg_relation_size('"${table}"') / 8192 as pages`)
  const pages = Number(rows[0]?.pages)
  for (let page = 0; page < pages; page += PAGES) {
    told(`${table}: copied ${Math.round((100 * page) / pages)} %`)
    const text = `insert into "${draft}" select * from "${table}"
      where ctid >= '(${page},0)' and ctid < '(${page + PAGES},0)'`
    await client.query({ ...PATIENT, text })
  }
}
