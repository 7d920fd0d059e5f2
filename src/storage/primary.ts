import type pg from 'pg'
import { unavailable } from '#core/refusal.ts'
import { meaningOf } from './postgres-errors.ts'

/** Shorter than a client of Docket waits: a server that is connected to and says nothing is none. */
const SILENCE_MS = 2_000

/** Whether this server takes no writes: a standby, or one that its operator has set so. */
const READ_ONLY = {
  text: "select current_setting('transaction_read_only') = 'on' as is_read_only",
  query_timeout: SILENCE_MS,
}
/** Which life of which cluster it writes: each promotion begins the next one. */
const LIFE = {
  text: `select system_identifier::text as cluster,
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline from pg_control_system()`,
  query_timeout: SILENCE_MS,
}

/**
 * Keeps a pool to the primary, whatever its address leads to just now. A connection to a server that
 * only reads is refused: what it tells may be old, and a write to it would fail. So is one to a primary of
 * before the last promotion that this pool has seen; and when a promotion is seen, connections to the one
 * of before end. Node-postgres has no `target_session_attrs`.
 */
export function keepToPrimary(pool: pg.Pool) {
  const lives = new WeakMap<pg.ClientBase, Life>()
  const open = new Set<pg.PoolClient>()
  let newest: Life | undefined
  pool.on('connect', (client) => open.add(client))
  pool.on('remove', (client) => open.delete(client))

  return async function check(client: pg.ClientBase): Promise<void> {
    const [readOnly, life] = await Promise.all([isReadOnly(client), lifeOf(client)])
    if (readOnly) throw unavailable('The database at this address only reads now.')
    if (!life) return
    // Another cluster is another installation of PostgreSQL, such as after a major upgrade.
    if (newest && life.cluster === newest.cluster && life.timeline < newest.timeline) {
      throw unavailable('The database at this address is a primary of before a promotion.')
    }
    lives.set(client, life)
    if (isSame(newest, life)) return
    newest = life
    for (const one of open) if (!isSame(lives.get(one), life)) one.connection.stream.destroy()
  }
}

interface Life {
  cluster: string
  timeline: string
}

const isSame = (one: Life | undefined, other: Life): boolean =>
  one?.cluster === other.cluster && one.timeline === other.timeline

async function isReadOnly(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(READ_ONLY)
  return rows[0]?.is_read_only === true
}

/** Some databases that speak as PostgreSQL does have none: then there is nothing to compare. */
async function lifeOf(client: pg.ClientBase): Promise<Life | undefined> {
  try {
    const { rows } = await client.query(LIFE)
    return { cluster: String(rows[0]?.cluster), timeline: String(rows[0]?.timeline) }
  } catch (error) {
    if (meaningOf(error) !== 'statement') throw error
    return undefined
  }
}
