import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { IndexBuild } from './migrations.ts'
import { PATIENT } from './postgres-pool.ts'

type Index = IndexBuild['index']

const LOOK_MS = 200

/** Whether an index is there whole. */
export async function isBuilt(client: pg.Client, { name }: Index): Promise<boolean> {
  return (await stateOf(client, name)) === 'built'
}

/**
 * Builds an index beside those who write, outside of a transaction, or goes on where somebody else was
 * killed. Of a partitioned table each part gets one, which that of the whole then takes in.
 */
export async function buildIndex(client: pg.Client, index: Index): Promise<void> {
  const { name, table, columns } = index
  const parts = await partsOf(client, table)
  if (parts.length === 0) return buildOne(client, index)
  for (const part of parts)
    await buildOne(client, { name: `${name}_${part}`, table: part, columns })
  // All that it needs is there: nothing is read for it.
  await client.query("begin; set local lock_timeout = '1s'")
  await client.query(`create index if not exists ${name} on ${table} ${columns}`)
  if (!(await isBuilt(client, index))) throw new Error(`The index ${name} is not whole: drop it.`)
  await client.query('commit')
}

async function buildOne(client: pg.Client, { name, table, columns }: Index): Promise<void> {
  // Whoever began it may be gone, and PostgreSQL builds on: half of an index is what nobody builds.
  while (await isAnyBuilding(client)) await pause(LOOK_MS)
  const state = await stateOf(client, name)
  if (state === 'built') return
  const run = (text: string) => client.query({ ...PATIENT, text })
  if (state === 'invalid') await run(`drop index concurrently ${name}`)
  await run(`create index concurrently if not exists ${name} on ${table} ${columns}`)
}

async function stateOf(client: pg.Client, name: string): Promise<'built' | 'invalid' | undefined> {
  const text = 'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)'
  const { rows } = await client.query(text, [name])
  if (rows.length === 0) return undefined
  return rows[0].valid ? 'built' : 'invalid'
}

async function isAnyBuilding(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    'select 1 from pg_stat_progress_create_index where datname = current_database()',
  )
  return rows.length > 0
}

async function partsOf(client: pg.Client, table: string): Promise<string[]> {
  const text = `select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid where inhparent = to_regclass($1) order by 1`
  const { rows } = await client.query(text, [table])
  return rows.map(({ name }) => String(name))
}
