import pg from 'pg'
import { keepToPrimary } from './primary.ts'

/** No id is a number and counters stay far below 2^53: whole numbers come as JavaScript numbers. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export interface PoolOptions {
  url: string
  /** Connections at most. */
  pool?: number
  onIdleError?: (error: Error) => void
  /** Whether connections to a server that takes no writes are refused. */
  isPrimary?: boolean
  /** How long a new connection may take; two seconds if it is not said. */
  connectMs?: number
  /** Looks at a connection that is new, and throws if it is not to be used. */
  checked?: (client: pg.ClientBase) => Promise<void>
}

/** For a server that has stopped answering: longer than its own time-outs need. */
const SILENCE_MS = 5_500
/** Migrations, and copies of everything, may take their time. */
export const PATIENT = { query_timeout: 2 ** 31 - 1 }

/** Connections to a PostgreSQL that end, or their statements, before a client of Docket gives up. */
export function openPool({
  url,
  pool: max = 16,
  onIdleError = () => {},
  isPrimary = false,
  connectMs = 2_000,
  checked,
}: PoolOptions): pg.Pool {
  const pool: pg.Pool = new pg.Pool({
    connectionString: url,
    max,
    // What is asked together is sent together; its answers come in the order of the questions.
    pipeline: true,
    connectionTimeoutMillis: connectMs,
    statement_timeout: 5_000,
    query_timeout: SILENCE_MS,
    keepAlive: true,
    lock_timeout: 4_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'docket',
    onConnect: (client) => check?.(client),
  })
  const check = isPrimary ? keepToPrimary(pool) : checked
  // Without a listener the end of an idle connection would end the process.
  pool.on('error', onIdleError)
  // So would the end of one that is in use: its query fails and tells of it.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
