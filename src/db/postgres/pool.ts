import pg from 'pg'
import { namedConnection } from './connection-url.ts'
import { limitPreparedStatements } from './prepared-statements.ts'
import { createPrimaryCheck } from './primary-check.ts'

/** Ids are text and counters stay far below 2^53, so bigint is parsed as a JavaScript number. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export interface PostgresPoolOptions {
  url: string
  /** The maximum number of connections. */
  maxConnections?: number
  onIdleError?: (error: Error) => void
  /** Whether to reject connections to a server that accepts no writes. */
  isPrimary?: boolean
  /** The time-out for a new connection (default: two seconds). */
  connectTimeoutMs?: number
  /** Checks a new connection, and throws if it must not be used. */
  checkConnection?: (client: pg.ClientBase) => Promise<void>
}

/** Detects a server that has stopped answering; longer than the server's own time-outs. */
const QUERY_TIMEOUT_MS = 5_500
/** For migrations and full copies, which may take any time. */
export const NO_QUERY_TIMEOUT = { query_timeout: 2 ** 31 - 1 }

/** Opens a pool whose time-outs are shorter than those of Docket's clients. */
export function openPostgresPool({
  url,
  maxConnections: max = 16,
  onIdleError = () => {},
  isPrimary = false,
  connectTimeoutMs = 2_000,
  checkConnection,
}: PostgresPoolOptions): pg.Pool {
  const pool: pg.Pool = new pg.Pool({
    ...namedConnection(url, 'docket'),
    max,
    // Queries issued together are sent together; their results come in the same order.
    pipeline: true,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: 5_000,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    lock_timeout: 4_000,
    idle_in_transaction_session_timeout: 30_000,
    onConnect: (client) => check?.(client),
  })
  const check = isPrimary ? createPrimaryCheck(pool) : checkConnection
  // Without a listener the end of an idle connection would end the process.
  pool.on('error', onIdleError)
  // The same holds for a connection in use; its query reports the error.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('connect', limitPreparedStatements)
  return pool
}
