import pg from 'pg'
import { createPrimaryCheck } from './server-checks.ts'
import { limitPreparedStatements } from './session.ts'

/**
 * Takes parameters out of the address of a PostgreSQL database. The driver lets those of the address
 * win over those that the program sets. Not parsed as a URL, because the address of a Unix socket has
 * no host (`postgres://user@/database?host=/run/postgresql`).
 */
export function takeUrlParameters(
  url: string,
  ...names: string[]
): { url: string; taken: Map<string, string> } {
  const [address = '', query = ''] = url.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  const taken = new Map<string, string>()
  for (const name of names) {
    const value = parameters.get(name)
    if (value !== null) taken.set(name, value)
    parameters.delete(name)
  }
  if (taken.size === 0) return { url, taken }
  const rest = parameters.toString()
  return { url: rest === '' ? address : `${address}?${rest}`, taken }
}

/**
 * The part of the connection settings that is the same for each connection of Docket: its address,
 * and the name by which commands tell that a Docket is running. An address cannot change the name.
 */
export const namedConnection = (url: string, application_name: string) => ({
  connectionString: takeUrlParameters(url, 'application_name').url,
  application_name,
})

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
    // Longer than the pauses between background jobs: each new connection costs two statements.
    idleTimeoutMillis: 60_000,
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
