import type pg from 'pg'
import { ApiError } from '#core/api-error.ts'
import { AuditWriter } from '../audit/audit-writer.ts'
import type { WriteSession } from '../core/group-commit.ts'
import {
  countChanges,
  type EngineConnection,
  type TransactionContext,
} from '../core/transaction.ts'
import { toStorageError } from './errors.ts'
import type { StatementNames } from './prepared-statements.ts'
import { ReadBatches } from './read-batches.ts'

/** Locks the workspace's row, so that other groups of its writes wait until the commit. */
export const LOCK_WORKSPACE_SQL = 'select id from workspaces where id = $1 for update'

/** A connection that writes to one workspace. */
export interface PostgresSession extends WriteSession {
  connection: EngineConnection
  auditWriter: AuditWriter
}

/** Takes a connection from the pool for the writes of a workspace. */
export async function openPostgresSession(
  pool: pg.Pool,
  names: StatementNames,
  workspace_id: string,
  shared: TransactionContext,
): Promise<PostgresSession> {
  const client = await pool.connect()
  const on = countChanges(createPostgresConnection(client, names))
  const auditWriter = new AuditWriter(on, shared)
  let rollbackError: unknown
  return {
    connection: on,
    auditWriter,
    savepoint: on.savepoint,
    get changes() {
      return on.changes
    },
    async begin() {
      auditWriter.begin()
      await client.query('begin')
      await on.rows(LOCK_WORKSPACE_SQL, [workspace_id])
    },
    async commit() {
      await auditWriter.write()
      await commit(client)
    },
    async rollback() {
      await client.query('rollback').catch((error) => {
        rollbackError = error
      })
    },
    end(error = rollbackError) {
      client.release(error !== undefined)
    },
  }
}

/**
 * Commits. Canceling a commit that waits for a synchronous standby turns it into a success with a
 * warning. It is treated as a failure, because a fail-over would lose the commit.
 */
async function commit(client: pg.PoolClient): Promise<void> {
  let warning: string | undefined
  const onNotice = ({
    routine,
    message = '',
  }: Record<'routine' | 'message', string | undefined>) => {
    if (routine === 'SyncRepWaitForLSN') warning = message
  }
  client.on('notice', onNotice)
  try {
    await client.query('commit')
  } finally {
    client.off('notice', onNotice)
  }
  if (warning !== undefined) throw new Error(`Committed on the primary alone: ${warning}`)
}

/** Behind a pooler statement names may be lost, and long work cannot be retried for that. */
const UNNAMED: StatementNames = { nameOf: () => ({}), disableIfRejected: () => false }

/** Runs work on a connection that sees one snapshot of the database, however long it takes. */
export const withPostgresSnapshot = <T>(
  pool: pg.Pool,
  work: (on: EngineConnection) => Promise<T>,
): Promise<T> =>
  withPooledClient(pool, (client) =>
    inReadOnlyTransaction(client, 'set local idle_in_transaction_session_timeout = 0', work),
  )

/** Runs work on a connection of the pool, which is closed after any error that is not a refusal. */
export async function withPooledClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  let client: pg.PoolClient | undefined
  try {
    client = await pool.connect()
    const done = await work(client)
    client.release()
    return done
  } catch (error) {
    client?.release(!isRequestError(error))
    throw toStorageError(error)
  }
}

/**
 * Settings for a read of tenths of a second on one processor: parallel workers would slow down shorter
 * requests. With this memory the tasks of a large workspace are sorted and joined without temporary
 * files. They are set per transaction, which works through a pooler too.
 */
const REPORT_SETTINGS = `set local max_parallel_workers_per_gather = 0; set local jit = off;
  set local work_mem = '32MB'`

/** Runs a long read on a connection, which must be closed after any error that is not a refusal. */
export const withReportTransaction = <T>(
  client: pg.PoolClient,
  work: (on: EngineConnection) => Promise<T>,
): Promise<T> => inReadOnlyTransaction(client, REPORT_SETTINGS, work)

/** Whether an error is the answer to the request, and no sign of trouble with the database. */
export const isRequestError = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500

/**
 * Statements are unnamed here, so that PostgreSQL plans them for their actual values. A generic plan
 * for a range of days would assume a short range.
 */
async function inReadOnlyTransaction<T>(
  client: pg.PoolClient,
  settings: string,
  work: (on: EngineConnection) => Promise<T>,
): Promise<T> {
  await client.query(`begin isolation level repeatable read read only; ${settings}`)
  try {
    const done = await work(createPostgresConnection(client, UNNAMED))
    await client.query('commit')
    return done
  } catch (error) {
    if (isRequestError(error)) await client.query('rollback')
    throw error
  }
}

/** Sends the queries of one turn of the event loop with one system call. */
function corkUntilNextTick({ connection: { stream } }: pg.PoolClient): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** What runs statements: a pool, one of its connections, or the reads of a turn. */
interface StatementRunner {
  query(statement: string | pg.QueryConfig): Promise<pg.QueryResult>
}

/**
 * Adapts a pool or one of its connections to the interface that a transaction needs. `isAlone`: each
 * statement is a transaction of its own.
 */
export function createPostgresConnection(
  db: StatementRunner | pg.PoolClient,
  names: StatementNames,
  isAlone = false,
): EngineConnection {
  const queryNow = async (text: string, values: unknown[]) => {
    if ('connection' in db) corkUntilNextTick(db)
    try {
      return await db.query({ ...names.nameOf(text), text, values })
    } catch (error) {
      throw toStorageError(error)
    }
  }
  const query = (text: string, values: unknown[]) =>
    queryNow(text, values).catch((error) => {
      // Only a statement that is its own transaction can be retried by itself.
      if (names.disableIfRejected(error) && isAlone) return queryNow(text, values)
      throw error
    })
  return {
    engine: 'postgres',
    rows: async (sql, values) => (await query(sql, values)).rows,
    change: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    savepoint: async (step, name) => {
      if ('connection' in db) corkUntilNextTick(db)
      await db.query(`${step} ${name}`)
    },
  }
}

/** Reads without a transaction: those of one row together, and lists each on its own connection. */
export function createPostgresReader(pool: pg.Pool, names: StatementNames): EngineConnection {
  const alone = createPostgresConnection(pool, names, true)
  const together = createPostgresConnection(new ReadBatches(pool), names, true)
  return {
    ...alone,
    rows: (sql, values, isSingle) => (isSingle ? together : alone).rows(sql, values),
  }
}
