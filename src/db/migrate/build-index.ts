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

/** Builds an index concurrently, outside a transaction, and resumes where an earlier runner was killed. */
export async function buildIndex(
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
