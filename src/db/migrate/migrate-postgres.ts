import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { NO_QUERY_TIMEOUT, namedConnection } from '../postgres/pool.ts'
import { assertDurable, assertSupportedVersion } from '../postgres/server-checks.ts'
import { isLockContention } from '../postgres/session.ts'
import { buildIndex, isIndexBuilt } from './build-index.ts'
import { type IndexMigration, MIGRATIONS, type Migration } from './migrations.ts'
import {
  type MigrationListener,
  type MigrationResult,
  minCodeVersionFor,
  minCodeVersionKey,
  pendingMigrations,
  renderMigrationSql,
  type SchemaEventListener,
  type SchemaVersion,
  toSchemaVersion,
} from './schema-version.ts'

/** Advisory lock of a transaction that creates or changes tables. */
export const MIGRATION_LOCK_ID = 4_000_000
/** Advisory lock for building an index, which happens outside the migration's transaction. */
const INDEX_BUILD_LOCK_ID = 4_000_002
const POLL_INTERVAL_MS = 200

/** Detects a server that has stopped answering. */
const QUERY_TIMEOUT_MS = 8_000
/** A waiting table lock blocks all later statements on the table, so the wait is short. */
const LOCK_TIMEOUT = '1s'
const RETRY_PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000]
/** With the pauses above this takes about ten minutes. */
const MAX_TRIES = 60

interface PostgresMigrationOptions {
  onEvent?: SchemaEventListener | undefined
  onMigration?: MigrationListener | undefined
  tries?: number
  /** The address of PostgreSQL itself, if `url` leads to a pooler. */
  directUrl?: string | undefined
}

/**
 * Applies the pending migrations while servers of the previous release keep running. Each transaction
 * takes the lock that all runners share, reads the schema version and does the next step. So several
 * runners may run at once, one that is killed is continued by the next, and connections may go through
 * a pooler. A new database is created in one transaction. Indexes are built over `directUrl`, because
 * a pooler drops the setting that lifts the time-outs of the role.
 */
export async function migratePostgres(
  url: string,
  options: PostgresMigrationOptions = {},
): Promise<MigrationResult> {
  const { onEvent = () => {}, onMigration: listener, tries = MAX_TRIES, directUrl = url } = options
  const client = await connect(url)
  const runner = { client, directUrl }
  try {
    await assertSupportedVersion(client, onEvent)
    await assertDurable(client)
    const applied: string[] = []
    const { version: before } = await readPostgresSchema(client)
    const isMigration = before > 0 && before < MIGRATIONS.length
    if (isMigration) listener?.onBegin({ from: before, to: MIGRATIONS.length })
    let result = await stepWithRetries(runner, onEvent, tries)
    const from = result.version - result.applied.length
    while (result.next) {
      applied.push(...result.applied)
      result = await stepWithRetries(runner, onEvent, tries)
    }
    applied.push(...result.applied)
    await analyzeNewTables(client)
    const migrated = { engine: 'postgres', from, to: result.version, applied } as const
    if (isMigration) listener?.onEnd(migrated)
    return migrated
  } finally {
    await client.end()
  }
}

/**
 * Measures the tables with rows that PostgreSQL has never measured. It does so by itself only after
 * dozens of changes. Until then it assumes many rows in a table of few, such as the projects of a small
 * team, and therefore plans each statement again in every request, which takes longer than to execute
 * it. Empty tables are left out: plans for them would be kept while they grow.
 */
async function analyzeNewTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ tables: string | null }>(
    `select string_agg(quote_ident(relname), ', ') as tables from pg_class
      where relkind = 'r' and reltuples < 0 and relnamespace = current_schema()::regnamespace
        and pg_relation_size(oid) > 0 and not pg_is_in_recovery()`,
  )
  const [{ tables } = { tables: null }] = rows
  if (!tables) return
  // Another runner that starts at the same time may have locked them to measure them.
  const text = `begin; set local statement_timeout = 0; analyze (skip_locked) ${tables}; commit`
  await client.query({ ...NO_QUERY_TIMEOUT, text })
}

/** The connection that migrates, and the address for a second one that builds indexes. */
interface MigrationRunner {
  client: pg.Client
  directUrl: string
}

/** Sent when a connection starts. An index cannot be built in a transaction that sets it locally. */
const NO_SERVER_TIMEOUTS = { statement_timeout: 2 ** 31 - 1, lock_timeout: 2 ** 31 - 1 }

async function connect(url: string, settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({
    ...settings,
    ...namedConnection(url, 'docket-migration'),
    connectionTimeoutMillis: 2_000,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  })
  // The pending query reports a lost connection; without a listener the process would end.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The result of one step; `next` is the next pending migration. */
interface MigrationStep {
  version: number
  applied: string[]
  next: Migration | undefined
}

/** Runs a step, and retries after a pause when it does not get its locks. */
async function stepWithRetries(
  runner: MigrationRunner,
  onEvent: SchemaEventListener,
  maxTries: number,
): Promise<MigrationStep> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runStep(runner, tries === 1 ? onEvent : () => {})
    } catch (error) {
      if (!isLockContention(error)) throw error
      await runner.client.query('rollback')
      const reason = error instanceof Error ? error.message : ''
      if (tries === maxTries) {
        throw new Error(
          `A migration could not get its locks in ${tries} attempts (${reason}). End long transactions, ` +
            'which pg_stat_activity shows, and start again. The failed migration was rolled back.',
        )
      }
      const wait = RETRY_PAUSES_MS[Math.min(tries, RETRY_PAUSES_MS.length) - 1] ?? 0
      onEvent('A migration could not get a lock and will be retried', { reason, tries, wait })
      await pause(wait)
    }
  }
}

async function runStep(
  { client, directUrl }: MigrationRunner,
  onEvent: SchemaEventListener,
): Promise<MigrationStep> {
  const run = (text: string, values: unknown[] = []) =>
    client.query({ ...NO_QUERY_TIMEOUT, text, values })
  await client.query('begin; set local statement_timeout = 0; set local lock_timeout = 0')
  await run('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK_ID])
  const schema = await readPostgresSchema(client)
  const [first, next] = pendingMigrations(schema, onEvent)
  if (schema.version === 0) return createSchema(client)
  if (!first) {
    await client.query('commit')
    return { version: schema.version, applied: [], next: undefined }
  }
  await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
  if (await applyPart(client, first)) {
    const version = schema.version + 1
    await saveVersion(client, version)
    await saveMinCodeVersion(client, version)
    await client.query('commit')
    return { version, applied: [first.name], next }
  }
  await client.query('commit')
  if ('index' in first) await buildIndexExclusively({ client, directUrl }, first)
  return { version: schema.version, applied: [], next: first }
}

/**
 * Builds an index, or waits a little while another runner builds it. A concurrent index build waits
 * for every older statement that is still open. So the lock is tried instead of awaited, and with a
 * simple query, because a query with bound values stays open until the next one.
 */
async function buildIndexExclusively(
  { client, directUrl }: MigrationRunner,
  { index }: IndexMigration,
): Promise<void> {
  await client.query('begin; set local idle_in_transaction_session_timeout = 0')
  const { rows } = await client.query(
    `select pg_try_advisory_xact_lock(${INDEX_BUILD_LOCK_ID}) as mine`,
  )
  if (rows[0]?.mine) {
    const builder = await connect(directUrl, NO_SERVER_TIMEOUTS)
    await buildIndex(builder, index).finally(() => builder.end())
  } else await pause(POLL_INTERVAL_MS)
  await client.query('commit')
}

/** Creates a new database in one transaction, since no other server uses it. */
async function createSchema(client: pg.Client): Promise<MigrationStep> {
  await client.query('create table if not exists schema_version (version integer not null)')
  const all = pendingMigrations({ version: 0, minCodeVersion: 0 })
  for (const [at, migration] of all.entries()) {
    await client.query({ ...NO_QUERY_TIMEOUT, text: renderMigrationSql(migration, 'postgres') })
    await saveVersion(client, at + 1)
  }
  await saveMinCodeVersion(client, all.length)
  await client.query('commit')
  return { version: all.length, applied: all.map(({ name }) => name), next: undefined }
}

/** Does as much of a migration as one transaction can; returns whether it is complete. */
async function applyPart(client: pg.Client, migration: Migration): Promise<boolean> {
  if ('index' in migration) return isIndexBuilt(client, migration.index)
  const text = renderMigrationSql(migration, 'postgres')
  const run = async () => (await client.query({ ...NO_QUERY_TIMEOUT, text })).rowCount ?? 0
  const changedRows = await run()
  if (!('fill' in migration)) return true
  // A batch passes over rows that requests change meanwhile, so a short one is not the last. One that
  // changes nothing may have passed over all of its rows; the statement after it sees their changes.
  return changedRows === 0 && (await run()) === 0
}

async function saveVersion(client: pg.Client, version: number): Promise<void> {
  await client.query('insert into schema_version values ($1)', [version])
}

async function saveMinCodeVersion(client: pg.Client, version: number): Promise<void> {
  await client.query(
    `insert into installation values ($1, $2)
      on conflict (name) do update set value = excluded.value`,
    [minCodeVersionKey(version), `${minCodeVersionFor(version)}`],
  )
}

/** Reads the schema version of a database. */
export async function readPostgresSchema(
  db: Pick<pg.Pool | pg.Client, 'query'>,
): Promise<SchemaVersion> {
  const made = await db.query("select to_regclass('schema_version') is not null as is")
  if (!made.rows[0]?.is) return toSchemaVersion(0, 0)
  const { rows } = await db.query('select max(version) as version from schema_version')
  const version = Number(rows[0]?.version ?? 0)
  if (version === 0) return toSchemaVersion(0, 0)
  const oldest = await db.query('select value from installation where name = $1', [
    minCodeVersionKey(version),
  ])
  return toSchemaVersion(version, oldest.rows[0]?.value)
}
