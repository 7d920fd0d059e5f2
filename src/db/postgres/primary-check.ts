import type pg from 'pg'
import { serviceUnavailable } from '#core/api-error.ts'
import { classifyPostgresError } from './errors.ts'

/** Shorter than clients wait: a server that accepts a connection and does not answer is down. */
const QUERY_TIMEOUT_MS = 2_000

/** Whether the server accepts no writes: a standby, or read-only by its configuration. */
const READ_ONLY_QUERY = {
  text: "select current_setting('transaction_read_only') = 'on' as is_read_only",
  query_timeout: QUERY_TIMEOUT_MS,
}
/** The cluster and timeline that the server writes; each promotion begins a new timeline. */
const TIMELINE_QUERY = {
  text: `select system_identifier::text as cluster,
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline from pg_control_system()`,
  query_timeout: QUERY_TIMEOUT_MS,
}

/**
 * Keeps a pool on the primary, whichever server its address leads to. Connections to a read-only
 * server are rejected: its data may be stale, and writes would fail. So are connections to a primary
 * from before the last promotion that the pool has seen; when it sees a promotion, connections to the
 * former primary are closed. Node-postgres has no `target_session_attrs`.
 */
export function createPrimaryCheck(pool: pg.Pool) {
  const timelines = new WeakMap<pg.ClientBase, ServerTimeline>()
  const open = new Set<pg.PoolClient>()
  let newest: ServerTimeline | undefined
  pool.on('connect', (client) => open.add(client))
  pool.on('remove', (client) => open.delete(client))

  return async function check(client: pg.ClientBase): Promise<void> {
    const [readOnly, timeline] = await Promise.all([isReadOnly(client), loadTimeline(client)])
    if (readOnly) throw serviceUnavailable('The database at this address only reads now.')
    if (!timeline) return
    // Timelines of different clusters, as after a major upgrade, cannot be compared.
    if (newest && timeline.cluster === newest.cluster && timeline.timeline < newest.timeline) {
      throw serviceUnavailable('The database at this address is a primary of before a promotion.')
    }
    timelines.set(client, timeline)
    if (isSame(newest, timeline)) return
    newest = timeline
    for (const other of open) {
      if (!isSame(timelines.get(other), timeline)) other.connection.stream.destroy()
    }
  }
}

interface ServerTimeline {
  cluster: string
  timeline: string
}

const isSame = (one: ServerTimeline | undefined, other: ServerTimeline): boolean =>
  one?.cluster === other.cluster && one.timeline === other.timeline

async function isReadOnly(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(READ_ONLY_QUERY)
  return rows[0]?.is_read_only === true
}

/** Undefined for PostgreSQL-compatible databases without these functions. */
async function loadTimeline(client: pg.ClientBase): Promise<ServerTimeline | undefined> {
  try {
    const { rows } = await client.query(TIMELINE_QUERY)
    return { cluster: String(rows[0]?.cluster), timeline: String(rows[0]?.timeline) }
  } catch (error) {
    if (classifyPostgresError(error) !== 'statement') throw error
    return undefined
  }
}
