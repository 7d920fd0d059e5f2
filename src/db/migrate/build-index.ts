import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { NO_QUERY_TIMEOUT } from '../postgres/pool.ts'
import type { IndexMigration } from './migrations.ts'

type MigrationIndex = IndexMigration['index']

const POLL_INTERVAL_MS = 200

/** Whether an index exists and is valid. */
export async function isIndexBuilt(client: pg.Client, { name }: MigrationIndex): Promise<boolean> {
  return (await loadIndexState(client, name)) === 'built'
}

/**
 * Builds an index concurrently, outside a transaction, and resumes where an earlier runner was killed.
 * Each partition of a partitioned table gets its own index, which the index of the parent then
 * attaches.
 */
export async function buildIndex(client: pg.Client, index: MigrationIndex): Promise<void> {
  const { name, table, columns } = index
  const partitions = await listPartitions(client, table)
  if (partitions.length === 0) return buildTableIndex(client, index)
  for (const partition of partitions)
    await buildTableIndex(client, { name: `${name}_${partition}`, table: partition, columns })
  // The partitions have matching indexes already, so this reads no rows.
  await client.query("begin; set local lock_timeout = '1s'")
  await client.query(`create index if not exists ${name} on ${table} ${columns}`)
  if (!(await isIndexBuilt(client, index)))
    throw new Error(`The index ${name} is not whole: drop it.`)
  await client.query('commit')
}

async function buildTableIndex(
  client: pg.Client,
  { name, table, columns }: MigrationIndex,
): Promise<void> {
  // The runner that began it may be gone while PostgreSQL still builds. An index is known to be
  // incomplete only when no build is running.
  while (await isIndexBuildRunning(client)) await pause(POLL_INTERVAL_MS)
  const state = await loadIndexState(client, name)
  if (state === 'built') return
  const run = (text: string) => client.query({ ...NO_QUERY_TIMEOUT, text })
  if (state === 'invalid') await run(`drop index concurrently ${name}`)
  await run(`create index concurrently if not exists ${name} on ${table} ${columns}`)
}

async function loadIndexState(
  client: pg.Client,
  name: string,
): Promise<'built' | 'invalid' | undefined> {
  const text = 'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)'
  const { rows } = await client.query(text, [name])
  if (rows.length === 0) return undefined
  return rows[0].valid ? 'built' : 'invalid'
}

async function isIndexBuildRunning(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    'select 1 from pg_stat_progress_create_index where datname = current_database()',
  )
  return rows.length > 0
}

async function listPartitions(client: pg.Client, table: string): Promise<string[]> {
  const text = `select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid where inhparent = to_regclass($1) order by 1`
  const { rows } = await client.query(text, [table])
  return rows.map(({ name }) => String(name))
}
