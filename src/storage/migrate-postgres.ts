import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { buildIndex, isBuilt } from './build-index.ts'
import { assertDurable } from './durable.ts'
import {
  BATCH,
  type Migrated,
  nameOfOldest,
  oldestFor,
  pendingAfter,
  type Schema,
  schemaFrom,
  sqlOf,
  type Told,
} from './migrate.ts'
import type { IndexBuild, Migration } from './migrations.ts'
import { NOTES, refuseUnfinished } from './move/end.ts'
import { isContended } from './postgres-errors.ts'
import { PATIENT } from './postgres-pool.ts'

/** The lock of whoever makes or changes tables. */
export const MIGRATING = 4_000_000
/** The lock of whoever builds an index, which no transaction of his own can. */
const BUILDING = 4_000_002
const LOOK_MS = 200

/** For a server that has stopped answering. */
const SILENCE_MS = 8_000
/** Whoever waits for a table makes all wait who come after: so no longer than they can. */
const LOCK_TIMEOUT = '1s'
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000]
/** With these pauses for ten minutes. */
const TRIES = 60

/**
 * Applies what is missing, beside servers of the release before. Each transaction takes the lock of all
 * runners, looks where the schema stands and does the next thing: so several may run at once, each may
 * be killed and the next goes on, and a pooler may stand between. A new database is made in one.
 */
export async function migratePostgres(
  url: string,
  told: Told = () => {},
  tries = TRIES,
): Promise<Migrated> {
  const client = await connected(url)
  const runner = { client, url }
  try {
    await assertDurable(client)
    const applied: string[] = []
    let step = await patiently(runner, told, tries)
    const from = step.version - step.applied.length
    while (step.next) {
      applied.push(...step.applied)
      step = await patiently(runner, told, tries)
    }
    applied.push(...step.applied)
    return { engine: 'postgres', from, to: step.version, applied }
  } finally {
    await client.end()
  }
}

/** Who migrates, and where: some things need a second connection. */
interface Runner {
  client: pg.Client
  url: string
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    query_timeout: SILENCE_MS,
    keepAlive: true,
    application_name: 'docket-migration',
  })
  // What ends a connection is told by the query that it ends.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** How far a step has come: `next` is what is still to do. */
interface Stepped {
  version: number
  applied: string[]
  next: Migration | undefined
}

/** A lock that is not to be had is left to those who hold it, and asked for again. */
async function patiently(runner: Runner, told: Told, most: number): Promise<Stepped> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await step(runner, tries === 1 ? told : () => {})
    } catch (error) {
      if (!isContended(error)) throw error
      await runner.client.query('rollback')
      const reason = error instanceof Error ? error.message : ''
      if (tries === most) {
        throw new Error(
          `A migration did not get its locks in ${tries} tries (${reason}): end what holds them, ` +
            'see pg_stat_activity for long transactions, and start again. Nothing is half done.',
        )
      }
      const wait = PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1] ?? 0
      told('A migration did not get a lock, and tries again', { reason, tries, wait })
      await pause(wait)
    }
  }
}

async function step({ client, url }: Runner, told: Told): Promise<Stepped> {
  const run = (text: string, values: unknown[] = []) => client.query({ ...PATIENT, text, values })
  await client.query('begin; set local statement_timeout = 0; set local lock_timeout = 0')
  await run('select pg_advisory_xact_lock($1)', [MIGRATING])
  const moving = await client.query(`select to_regclass('${NOTES}') is not null as found`)
  refuseUnfinished(moving.rows[0]?.found === true)
  const schema = await schemaOf(client)
  const [first, next] = pendingAfter(schema, told)
  if (schema.version === 0) return make(client)
  if (!first) {
    await client.query('commit')
    return { version: schema.version, applied: [], next: undefined }
  }
  await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
  if (await isDone(client, first)) {
    const version = schema.version + 1
    await keepVersion(client, version)
    await keepOldest(client, version)
    await client.query('commit')
    return { version, applied: [first.name], next }
  }
  await client.query('commit')
  if ('index' in first) await buildAlone({ client, url }, first)
  return { version: schema.version, applied: [], next: first }
}

/**
 * Builds an index, or waits a little while another runner does. PostgreSQL builds none while a statement
 * that began before is open: so the lock is asked for and not waited for, and by a simple query, for one
 * with values stays open until the next.
 */
async function buildAlone({ client, url }: Runner, { index }: IndexBuild): Promise<void> {
  await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  const { rows } = await client.query(`select pg_try_advisory_xact_lock(${BUILDING}) as mine`)
  if (rows[0]?.mine) {
    const builder = await connected(url)
    await buildIndex(builder, index).finally(() => builder.end())
  } else await pause(LOOK_MS)
  await client.query('commit')
}

/** A new database has nobody beside it: all of it or nothing. */
async function make(client: pg.Client): Promise<Stepped> {
  await client.query('create table if not exists schema_version (version integer not null)')
  const all = pendingAfter({ version: 0, oldest: 0 })
  for (const [at, migration] of all.entries()) {
    await client.query({ ...PATIENT, text: sqlOf(migration, 'postgres') })
    await keepVersion(client, at + 1)
  }
  await keepOldest(client, all.length)
  await client.query('commit')
  return { version: all.length, applied: all.map(({ name }) => name), next: undefined }
}

/** Does as much of a migration as one transaction can; whether that was the last of it. */
async function isDone(client: pg.Client, migration: Migration): Promise<boolean> {
  if ('index' in migration) return isBuilt(client, migration.index)
  const { rowCount } = await client.query({ ...PATIENT, text: sqlOf(migration, 'postgres') })
  return !('fill' in migration) || (rowCount ?? 0) < BATCH
}

async function keepVersion(client: pg.Client, version: number): Promise<void> {
  await client.query('insert into schema_version values ($1)', [version])
}

async function keepOldest(client: pg.Client, version: number): Promise<void> {
  await client.query(
    `insert into installation values ($1, $2)
      on conflict (name) do update set value = excluded.value`,
    [nameOfOldest(version), `${oldestFor(version)}`],
  )
}

/** What a database tells of its schema. */
export async function schemaOf(db: Pick<pg.Pool | pg.Client, 'query'>): Promise<Schema> {
  const made = await db.query("select to_regclass('schema_version') is not null as is")
  if (!made.rows[0]?.is) return schemaFrom(0, 0)
  const { rows } = await db.query('select max(version) as version from schema_version')
  const version = Number(rows[0]?.version ?? 0)
  if (version === 0) return schemaFrom(0, 0)
  const oldest = await db.query('select value from installation where name = $1', [
    nameOfOldest(version),
  ])
  return schemaFrom(version, oldest.rows[0]?.value)
}
