import { hash } from 'node:crypto'
import type pg from 'pg'
import { ApiError, serviceUnavailable } from '#core/api-error.ts'
import { AuditWriter } from '../audit/audit-log.ts'
import type { EngineErrorKind, WriteSession } from '../core/group-commit.ts'
import {
  countChanges,
  type EngineConnection,
  type TransactionContext,
} from '../core/transaction.ts'

/**
 * Serialization failure, deadlock, and a prepared statement that is unknown behind a pooler: nothing
 * was changed, and a retry may succeed.
 */
const RETRYABLE_CODES = new Set(['40001', '40P01', '26000', '42P05'])
/** Canceled by a statement or lock time-out: only the statement failed. */
const LOCK_NOT_AVAILABLE = '55P03'
const TIMEOUT_CODES = new Set(['57014', LOCK_NOT_AVAILABLE])
/** Connection lost or refused; server starting, stopping, full or out of resources. */
const CONNECTION_CODES = /^(08|53|57P|58|XX|25P0[23]|25006)/

/** The SQLSTATE of a server error, or the code of a system error. */
const postgresErrorCode = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return String(error.code)
}

const isServerError = (error: unknown): boolean => error instanceof Error && 'severity' in error

/** Whether the server closes the connection with this error, or never opens it. */
const isFatalError = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && /^(FATAL|PANIC)$/.test(String(error.severity))

/** Classifies an error by its effect on the transaction. */
export function classifyPostgresError(error: unknown): EngineErrorKind {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = postgresErrorCode(cause) ?? ''
  if (RETRYABLE_CODES.has(code)) return 'again'
  if (isServerError(cause))
    return CONNECTION_CODES.test(code) || isFatalError(cause) ? 'lost' : 'statement'
  return isConnectionError(cause) ? 'lost' : 'statement'
}

/** Whether a lock time-out or a deadlock ended the work; nothing was changed. */
export const isLockContention = (error: unknown): boolean => {
  const code = postgresErrorCode(error) ?? ''
  return RETRYABLE_CODES.has(code) || code === LOCK_NOT_AVAILABLE
}

/** Whether node-postgres or the socket failed because the server cannot be reached. */
const isConnectionError = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(
    postgresErrorCode(error) ?? '',
  ) ||
    /Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client (was closed|has encountered)|not queryable/.test(
      error.message,
    ))

/** `3D000`: the database has not been created yet. */
const INVALID_CATALOG_NAME = '3D000'

/**
 * Whether a start may succeed a little later: the server cannot be reached, is starting or only reads,
 * or has no such database yet.
 */
export function isPostgresMissing(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = postgresErrorCode(cause) ?? ''
  if (!isServerError(cause)) return isConnectionError(cause)
  return CONNECTION_CODES.test(code) || code === INVALID_CATALOG_NAME
}

/** Replaces errors that mean that the server cannot answer now by a 503. */
function toStorageError(error: unknown): unknown {
  const code = postgresErrorCode(error) ?? ''
  if (TIMEOUT_CODES.has(code)) return serviceUnavailable('The database took too long.', error)
  const isUnavailable = isServerError(error)
    ? CONNECTION_CODES.test(code) || isFatalError(error)
    : isConnectionError(error)
  return isUnavailable ? serviceUnavailable('The database cannot be reached now.', error) : error
}

/** How many names are cached; to compute one again takes microseconds. */
const MAX_CACHED_NAMES = 1_000
/**
 * The maximum number of prepared statements of a connection, apart from those that are being sent.
 * Each takes tens of kilobytes in its PostgreSQL process, and lists have thousands of combinations
 * of filters.
 */
export const MAX_PREPARED_STATEMENTS = 256

/** SQLSTATEs: the connection does not know a statement's name, or knows it already. */
const NAME_CONFLICT_CODES = new Set(['26000', '42P05'])

/** Names statements, so that a connection parses and plans each of them once. */
interface StatementNames {
  /** An empty object behind a pooler that does not track prepared statements. */
  nameOf(sql: string): { name?: string }
  /**
   * Whether an error shows a pooler that switches connections without tracking prepared statements.
   * From then on no statement is named. The failed statement has changed nothing.
   */
  disableIfRejected(error: unknown): boolean
}

/**
 * A name is a hash of the whole statement. So even behind a pooler that mixes up connections, a name
 * never stands for another statement, whatever the version of Docket.
 */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>()
  let isDisabled = false
  return {
    nameOf(sql) {
      if (isDisabled) return {}
      let name = names.get(sql)
      if (name === undefined) {
        if (names.size >= MAX_CACHED_NAMES) names.delete(names.keys().next().value ?? '')
        name = hash('sha256', sql).slice(0, 32)
        names.set(sql, name)
      }
      return { name }
    },
    disableIfRejected(error) {
      if (!NAME_CONFLICT_CODES.has(postgresErrorCode(error) ?? '')) return false
      isDisabled = true
      return true
    },
  }
}

/** What node-postgres knows of a connection's statements, by name. Its types do not mention it. */
interface StatementRecords {
  /** The server has confirmed them. */
  parsedStatements: Record<string, string>
  /** They were sent, and are not confirmed yet. */
  submittedNamedStatements: Record<string, string>
}

const hasStatementRecords = (
  connection: pg.Connection,
): connection is pg.Connection & StatementRecords =>
  'parsedStatements' in connection && 'submittedNamedStatements' in connection

/**
 * Makes a new connection close its least recently used statement before it prepares one beyond the
 * maximum. The protocol's Close message goes out with the messages of the new statement, so it costs
 * no round trip; a pooler that tracks prepared statements understands it, unlike DEALLOCATE.
 */
export function limitPreparedStatements({ connection }: Pick<pg.PoolClient, 'connection'>): void {
  if (!hasStatementRecords(connection)) throw new Error('This version of pg is not supported')
  const { parsedStatements, submittedNamedStatements } = connection
  /** The least recently used name first. */
  const names = new Set<string>()
  const parse = connection.parse.bind(connection)
  const bind = connection.bind.bind(connection)
  connection.parse = (statement, more) => {
    if (statement.name) closeOldest()
    parse(statement, more)
  }
  connection.bind = (config, more) => {
    const name = config?.statement
    if (name) {
      names.delete(name)
      names.add(name)
    }
    bind(config, more)
  }

  function closeOldest(): void {
    for (const name of names) {
      if (names.size < MAX_PREPARED_STATEMENTS) return
      // Its confirmation would arrive after it was closed, and count as that of an open statement.
      if (name in submittedNamedStatements) continue
      names.delete(name)
      // A statement that could not be parsed is not open.
      if (!(name in parsedStatements)) continue
      delete parsedStatements[name]
      connection.close({ type: 'S', name }, true)
    }
  }
}

/**
 * How many reads share a connection at most. More gain nothing, and each of them waits for those
 * before it.
 */
const MAX_READS = 8

/** The reads that were begun in one turn of the event loop, on one connection. */
interface ReadBatch {
  client: Promise<pg.PoolClient>
  /** How many reads have joined it, and how many of them have no result yet. */
  joined: number
  pending: number
  hasFailed: boolean
}

/**
 * Sends the short reads of one turn of the event loop over few connections, so that PostgreSQL wakes up
 * for several of them at once. Without this a GET of a task takes a third more processor time. A read
 * alone in its turn has a connection of its own.
 */
class ReadBatches {
  readonly #pool: pg.Pool
  #batch: ReadBatch | undefined

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Runs a statement that is a transaction of its own, and over in a moment. */
  async query(statement: string | pg.QueryConfig): Promise<pg.QueryResult> {
    const batch = this.#join()
    const client = await batch.client
    try {
      return await client.query(statement)
    } catch (error) {
      batch.hasFailed = true
      // Another read, perhaps of another workspace, may have held this one up, or ended the connection.
      if (batch.joined > 1 && !isServerError(error)) return await this.#pool.query(statement)
      throw error
    } finally {
      batch.pending -= 1
      if (batch.pending === 0) this.#end(batch, client)
    }
  }

  /** The turn may not be over yet: a read fails at once on a connection that has broken. */
  #end(batch: ReadBatch, client: pg.PoolClient): void {
    if (this.#batch === batch) this.#batch = undefined
    client.release(batch.hasFailed)
  }

  #join(): ReadBatch {
    const isFull = this.#batch?.joined === MAX_READS
    const batch = this.#batch && !isFull ? this.#batch : this.#begin()
    this.#batch = batch
    batch.joined += 1
    batch.pending += 1
    return batch
  }

  #begin(): ReadBatch {
    const client = this.#pool.connect()
    // A failure is that of each read.
    client.catch(() => {})
    const batch = { client, joined: 0, pending: 0, hasFailed: false }
    setImmediate(() => {
      if (this.#batch === batch) this.#batch = undefined
    })
    return batch
  }
}

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
      if (workspace_id !== '') await on.rows(LOCK_WORKSPACE_SQL, [workspace_id])
    },
    async commit() {
      await auditWriter.write()
      await commit(client)
      auditWriter.announce()
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
const isRequestError = (error: unknown): boolean => error instanceof ApiError && error.status < 500

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
