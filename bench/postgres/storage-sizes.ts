import pg from 'pg'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { createBenchDir, seedWorkspace } from '../support/seed.ts'

const TASKS = 10_000
const WORKSPACES = 50
/** Smaller shares are not printed. */
const MIN_PRINTED_BYTES = 20

/** Measures the bytes in PostgreSQL, with indexes, of an empty workspace and of a task. */
export async function measureStorageSizes(): Promise<void> {
  await withOwnPostgres(measure)
}

async function measure(url: string): Promise<void> {
  const dataDir = createBenchDir()
  const config = parseConfig({ DOCKET_DATABASE_URL: url, DOCKET_DATA_DIR: dataDir })
  const { storage } = await openStore(config)
  const client = new pg.Client(url)
  await client.connect()
  const empty = await readTableSizes(client)
  for (let n = 0; n < WORKSPACES; n += 1) await seedWorkspace(storage, 0)
  const furnished = await readTableSizes(client)
  await seedWorkspace(storage, TASKS)
  const full = await readTableSizes(client)
  await storage.close()
  await client.end()
  printSizes('a workspace of 20 people, 20 tags, a task', empty, furnished, WORKSPACES)
  printSizes('a task', furnished, full, TASKS)
}

async function readTableSizes(client: pg.Client): Promise<Map<string, number>> {
  await client.query('vacuum analyze')
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

function printSizes(
  what: string,
  before: Map<string, number>,
  after: Map<string, number>,
  times: number,
) {
  const each = [...after].map(([name, bytes]) => ({
    name,
    bytes: Math.round((bytes - (before.get(name) ?? 0)) / times),
  }))
  const all = each.reduce((sum, { bytes }) => sum + bytes, 0)
  const large = each.filter(({ bytes }) => bytes >= MIN_PRINTED_BYTES)
  const parts = large.toSorted((a, b) => b.bytes - a.bytes).map((one) => `${one.name} ${one.bytes}`)
  console.log(`Bytes of ${what}: ${all} (${parts.join(', ')})`)
}
