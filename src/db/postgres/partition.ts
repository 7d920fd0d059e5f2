import type pg from 'pg'
import { MIGRATION_LOCK_ID } from '../migrate/migrate-postgres.ts'
import { classifyPostgresError } from './errors.ts'
import { NO_QUERY_TIMEOUT, openPostgresPool } from './pool.ts'
import { readTableDefinition, type TableDefinition } from './table-definition.ts'

/** A table that is partitioned now, or was before. */
export interface PartitionResult {
  table: string
  parts: number
  rows: number
}

export interface PartitionOptions {
  url: string
  tables: readonly string[]
  parts: number
  /** Reports progress: the table and the step. */
  onProgress(what: string): void
}

/** Running servers can cause a deadlock while it takes its locks; it is rolled back and retried. */
const MAX_TRIES = 10
/** Pages of 8 kB that one statement copies. */
const PAGES_PER_COPY = 16_384

/**
 * Partitions tables of a PostgreSQL database by a hash of `workspace_id`. Each table is copied in one
 * transaction under exclusive locks: a killed run leaves the table unchanged, and the next run
 * continues. A table that is already partitioned is skipped. Throws if any property or row of a table
 * would be lost.
 */
export async function partitionPostgres({
  url,
  tables,
  ...options
}: PartitionOptions): Promise<PartitionResult[]> {
  const pool = openPostgresPool({ url, maxConnections: 1 })
  try {
    const client = await pool.connect()
    try {
      await client.query('set statement_timeout = 0; set lock_timeout = 0')
      await client.query('set idle_in_transaction_session_timeout = 0')
      const results: PartitionResult[] = []
      for (const table of tables) results.push(await partitionTable({ client, table, ...options }))
      return results
    } finally {
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

interface PartitionTask extends Omit<PartitionOptions, 'url' | 'tables'> {
  client: pg.PoolClient
  table: string
}

async function partitionTable(task: PartitionTask): Promise<PartitionResult> {
  for (let tries = 1; ; tries += 1) {
    try {
      await task.client.query('begin')
      const parted = await partitionLockedTable(task)
      await task.client.query('commit')
      return parted
    } catch (error) {
      await task.client.query('rollback')
      if (classifyPostgresError(error) !== 'again' || tries === MAX_TRIES) throw error
    }
  }
}

async function partitionLockedTable(task: PartitionTask): Promise<PartitionResult> {
  const { client, table, parts, onProgress } = task
  onProgress(`${table}: waiting for its lock`)
  await run(client, `select pg_advisory_xact_lock(${MIGRATION_LOCK_ID})`)
  const before = await readTableDefinition(client, table)
  if (before.parts > 0) {
    const [{ rows } = {}] = await run(client, `select count(*) as rows from "${table}"`)
    return { table, parts: before.parts, rows: Number(rows) }
  }
  for (const name of before.tablesToLock)
    await run(client, `lock table ${name} in access exclusive mode`)
  const sum = await checksumTable(task)
  const draft = await createDraft(task, before)
  await copyRows(task, draft)
  await replaceTable(task, draft, before)
  const copied = await checksumTable(task)
  if (copied.rows !== sum.rows || copied.sum !== sum.sum) {
    throw new Error(
      `The copy of ${table} differs: ${sum.rows} rows before, ${copied.rows} after. Nothing was changed.`,
    )
  }
  const after = await readTableDefinition(client, table)
  if (after.summary !== before.summary) {
    throw new Error(
      `The definition of ${table} would change. Before:\n${before.summary}\n` +
        `After:\n${after.summary}`,
    )
  }
  await run(client, `analyze "${table}"`)
  return { table, parts, rows: Number(copied.rows) }
}

const run = async (client: pg.PoolClient, text: string): Promise<Record<string, unknown>[]> =>
  (await client.query({ ...NO_QUERY_TIMEOUT, text })).rows

/** The row count and a checksum of the contents that does not depend on the order of rows. */
async function checksumTable({ client, table, onProgress }: PartitionTask) {
  onProgress(`${table}: computing checksum`)
  const [checksum = {}] = await run(
    client,
    `select count(*) as rows, sum(hashtextextended(t::text, 0))::text as sum from "${table}" t`,
  )
  return checksum
}

/**
 * Creates the partitioned table beside the original. The partitions get the same owner, because
 * migrations change them too.
 */
async function createDraft(
  { client, table, parts }: PartitionTask,
  shape: TableDefinition,
): Promise<string> {
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

/** Copies the rows in physical order. */
async function copyRows(
  { client, table, onProgress }: PartitionTask,
  draft: string,
): Promise<void> {
  const [size] = await run(client, `select pg_relation_size('"${table}"') / 8192 as pages`)
  const pages = Number(size?.pages)
  for (let page = 0; page < pages; page += PAGES_PER_COPY) {
    onProgress(`${table}: copied ${Math.round((100 * page) / pages)} %`)
    await run(
      client,
      `insert into "${draft}" select * from "${table}"
        where ctid >= '(${page},0)' and ctid < '(${page + PAGES_PER_COPY},0)'`,
    )
  }
}

/** Replaces the table with the draft and recreates its indexes, constraints and grants. */
async function replaceTable(
  { client, table, onProgress }: PartitionTask,
  draft: string,
  shape: TableDefinition,
) {
  for (const { name, of } of shape.references) {
    await run(client, `alter table ${of} drop constraint "${name}"`)
  }
  await run(client, `drop table "${table}"`)
  await run(client, `alter table "${draft}" rename to "${table}"`)
  for (const [at, { name, sql }] of shape.rebuildStatements.entries()) {
    onProgress(
      `${table}: ${name} (${at + 1} of ${shape.rebuildStatements.length} indexes and references)`,
    )
    await run(client, sql)
  }
}
