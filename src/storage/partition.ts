import type pg from 'pg'
import { MIGRATING } from './migrate-postgres.ts'
import { type Shape, shapeOf } from './partition-shape.ts'
import { meaningOf } from './postgres-errors.ts'
import { openPool, PATIENT } from './postgres-pool.ts'

/** What a table was made into, or was before already. */
export interface Parted {
  table: string
  parts: number
  rows: number
}

export interface Partition {
  url: string
  tables: readonly string[]
  parts: number
  /** Hears how far it is: a table, and what is done with it. */
  told(what: string): void
}

/** Servers that still run may end it in a deadlock when it takes its locks; then nothing was done. */
const TRIES = 10
/** Pages of 8 kB that are copied by one statement. */
const PAGES = 16_384

/**
 * Splits tables of a PostgreSQL database by a hash of their `workspace_id`, each in one transaction and
 * copied within its locks: what is killed leaves a table as it was, and the next run goes on. A table
 * that is split already stays as it is. Throws where anything of a table would be lost.
 */
export async function partitionPostgres({ url, tables, ...wanted }: Partition): Promise<Parted[]> {
  const pool = openPool({ url, pool: 1 })
  try {
    const client = await pool.connect()
    try {
      await client.query('set statement_timeout = 0; set lock_timeout = 0')
      await client.query('set idle_in_transaction_session_timeout = 0')
      const done: Parted[] = []
      for (const table of tables) done.push(await split({ client, table, ...wanted }))
      return done
    } finally {
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

interface Splitting extends Omit<Partition, 'url' | 'tables'> {
  client: pg.PoolClient
  table: string
}

async function split(one: Splitting): Promise<Parted> {
  for (let tries = 1; ; tries += 1) {
    try {
      await one.client.query('begin')
      const parted = await splitLocked(one)
      await one.client.query('commit')
      return parted
    } catch (error) {
      await one.client.query('rollback')
      if (meaningOf(error) !== 'again' || tries === TRIES) throw error
    }
  }
}

async function splitLocked(one: Splitting): Promise<Parted> {
  const { client, table, parts, told } = one
  told(`${table}: waiting until nobody uses it`)
  await run(client, `select pg_advisory_xact_lock(${MIGRATING})`)
  const before = await shapeOf(client, table)
  if (before.parts > 0) {
    const [{ rows } = {}] = await run(client, `select count(*) as rows from "${table}"`)
    return { table, parts: before.parts, rows: Number(rows) }
  }
  for (const name of before.touched)
    await run(client, `lock table ${name} in access exclusive mode`)
  const sum = await sumOf(one)
  const draft = await draftOf(one, before)
  await copy(one, draft)
  await replace(one, draft, before)
  const copied = await sumOf(one)
  if (copied.rows !== sum.rows || copied.sum !== sum.sum) {
    throw new Error(`${table} had ${sum.rows} rows and would have ${copied.rows}, or others.`)
  }
  const after = await shapeOf(client, table)
  if (after.told !== before.told) {
    throw new Error(
      `${table} would lose something of itself. It has:\n${before.told}\n` +
        `and would have:\n${after.told}`,
    )
  }
  await run(client, `analyze "${table}"`)
  return { table, parts, rows: Number(copied.rows) }
}

const run = async (client: pg.PoolClient, text: string): Promise<Record<string, unknown>[]> =>
  (await client.query({ ...PATIENT, text })).rows

/** The rows and what they hold, in whatever order they lie. */
async function sumOf({ client, table, told }: Splitting) {
  told(`${table}: adding up`)
  const [found = {}] = await run(
    client,
    `select count(*) as rows, sum(hashtextextended(t::text, 0))::text as sum from "${table}" t`,
  )
  return found
}

/** Makes a table in parts beside the other one. Of its owner are the parts, too: migrations change them. */
async function draftOf({ client, table, parts }: Splitting, shape: Shape): Promise<string> {
  const draft = `${table}_split`
  await run(
    client,
    `create table "${draft}" (like "${table}" including all excluding indexes)
      partition by hash (workspace_id)`,
  )
  await run(client, `alter table "${draft}" owner to ${shape.owner}`)
  for (let part = 0; part < parts; part += 1) {
    const name = `${table}_p${String(part).padStart(String(parts - 1).length, '0')}`
    await run(
      client,
      `create table "${name}" partition of "${draft}"
        for values with (modulus ${parts}, remainder ${part}) ${shape.storage}`,
    )
    await run(client, `alter table "${name}" owner to ${shape.owner}`)
  }
  return draft
}

/** Copies in the order in which the rows lie. */
async function copy({ client, table, told }: Splitting, draft: string): Promise<void> {
  const [found] = await run(client, `select pg_relation_size('"${table}"') / 8192 as pages`)
  const pages = Number(found?.pages)
  for (let page = 0; page < pages; page += PAGES) {
    told(`${table}: copied ${Math.round((100 * page) / pages)} %`)
    await run(
      client,
      `insert into "${draft}" select * from "${table}"
        where ctid >= '(${page},0)' and ctid < '(${page + PAGES},0)'`,
    )
  }
}

/** Puts the draft in the place of the table, and makes anew what belongs to it. */
async function replace({ client, table, told }: Splitting, draft: string, shape: Shape) {
  for (const { name, of } of shape.references) {
    await run(client, `alter table ${of} drop constraint "${name}"`)
  }
  await run(client, `drop table "${table}"`)
  await run(client, `alter table "${draft}" rename to "${table}"`)
  for (const [at, { name, sql }] of shape.made.entries()) {
    told(`${table}: ${name} (${at + 1} of ${shape.made.length} indexes and references)`)
    await run(client, sql)
  }
}
