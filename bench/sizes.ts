import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { onPostgres } from './own-postgres.ts'
import { seed } from './seed.ts'

const TASKS = 10_000
const WORKSPACES = 50
/** So small a share is not worth a line. */
const LEAST_BYTES = 20

/** Bytes in PostgreSQL, indexes and all, of a workspace without tasks and of a task with its event. */
export async function measureSizes(): Promise<void> {
  await onPostgres(measure)
}

async function measure(url: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-sizes-'))
  const config = configFrom({ DOCKET_DATABASE_URL: url, DOCKET_DATA_DIR: dataDir })
  const { storage } = await openStore(config)
  const client = new pg.Client(url)
  await client.connect()
  const empty = await sizes(client)
  for (let n = 0; n < WORKSPACES; n += 1) await seed(storage, 0)
  const furnished = await sizes(client)
  await seed(storage, TASKS)
  const full = await sizes(client)
  await storage.close()
  await client.end()
  say('a workspace of 20 people, 20 tags, a task', empty, furnished, WORKSPACES)
  say('a task', furnished, full, TASKS)
}

async function sizes(client: pg.Client): Promise<Map<string, number>> {
  await client.query('vacuum analyze')
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

function say(what: string, before: Map<string, number>, after: Map<string, number>, times: number) {
  const each = [...after].map(([name, bytes]) => ({
    name,
    bytes: Math.round((bytes - (before.get(name) ?? 0)) / times),
  }))
  const all = each.reduce((sum, { bytes }) => sum + bytes, 0)
  const large = each.filter(({ bytes }) => bytes >= LEAST_BYTES)
  const parts = large.toSorted((a, b) => b.bytes - a.bytes).map((one) => `${one.name} ${one.bytes}`)
  console.log(`Bytes of ${what}: ${all} (${parts.join(', ')})`)
}
