import type pg from 'pg'
import { serviceUnavailable } from '#core/api-error.ts'
import type { SchemaEventListener } from '../migrate/schema-version.ts'
import { classifyPostgresError } from './session.ts'

/** The oldest and the newest major version of PostgreSQL that Docket is tested on. */
const [OLDEST_MAJOR, NEWEST_MAJOR] = [15, 18]
const RANGE = `${OLDEST_MAJOR} to ${NEWEST_MAJOR}`

/** What is wrong with a version of PostgreSQL. */
export interface PostgresVersionProblem {
  /** Whether Docket refuses to start on it. */
  isRefused: boolean
  message: string
}

/** Judges a version such as `18.4` or `19beta1`; undefined if it is supported. */
export function findPostgresVersionProblem(version: string): PostgresVersionProblem | undefined {
  const major = Number.parseInt(version, 10)
  if (major < OLDEST_MAJOR) {
    const message = `PostgreSQL ${version} is too old: Docket supports ${RANGE}. Upgrade PostgreSQL.`
    return { isRefused: true, message }
  }
  if (major <= NEWEST_MAJOR) return undefined
  return {
    isRefused: false,
    message: `PostgreSQL ${version} is newer than those that this release of Docket is tested on (${RANGE})`,
  }
}

/** Throws on a server that is too old, and reports one that is newer than those tested. */
export async function assertSupportedVersion(
  db: Pick<pg.Client, 'query'>,
  onEvent: SchemaEventListener = () => {},
): Promise<void> {
  const { rows } = await db.query("select current_setting('server_version') as version")
  const problem = findPostgresVersionProblem(String(rows[0]?.version))
  if (problem?.isRefused) throw new Error(problem.message)
  if (problem) onEvent(problem.message, {})
}

/** A connection or a pool. */
type Queryable = Pick<pg.Pool | pg.Client, 'query'>

/** Throws if a commit may return before it is on the disk. */
export async function assertDurable(db: Queryable): Promise<void> {
  const [fault] = await findDurabilityFaults(db)
  if (fault !== undefined) {
    throw new Error(`PostgreSQL runs with ${fault}: an acknowledged write could be lost.`)
  }
}

const IS_LOCAL_BESIDE_STANDBY_SQL = `select current_setting('synchronous_commit') = 'local'
  and current_setting('synchronous_standby_names') <> '' as is_alone`

/** Lists server settings with which a commit that has returned may still be lost. */
export async function findDurabilityFaults(db: Queryable): Promise<string[]> {
  const faults: string[] = []
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await db.query(`show ${setting}`)
    if (rows[0]?.[setting] === 'off') faults.push(`${setting} = off`)
  }
  // Without a synchronous standby `local` is as safe as `on`.
  const { rows } = await db.query(IS_LOCAL_BESIDE_STANDBY_SQL)
  if (rows[0]?.is_alone) faults.push('synchronous_commit = local beside synchronous_standby_names')
  return faults
}

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
