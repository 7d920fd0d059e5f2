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
/** Which life of the cluster it writes: each promotion begins the next one. */
const TIMELINE = {
  text: 'select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline',
  query_timeout: SILENCE_MS,
}

/**
 * Keeps a pool to the primary, whatever its address leads to just now. A connection to a server that
 * only reads is refused: what it tells may be old, and a write to it would fail. So is one to a primary of
 * before the last promotion that this pool has seen; and when a promotion is seen, connections to the one
 * of before end. Node-postgres has no `target_session_attrs`.
 */
export function keepToPrimary(pool: pg.Pool) {
  const lives = new WeakMap<pg.ClientBase, string>()
  const open = new Set<pg.PoolClient>()
  let newest = ''
  pool.on('connect', (client) => open.add(client))
  pool.on('remove', (client) => open.delete(client))

  return async function check(client: pg.ClientBase): Promise<void> {
    const [readOnly, timeline] = await Promise.all([isReadOnly(client), timelineOf(client)])
    if (readOnly) throw unavailable('The database at this address only reads now.')
    if (timeline < newest) {
      throw unavailable('The database at this address is a primary of before a promotion.')
    }
    lives.set(client, timeline)
    if (timeline === newest) return
    newest = timeline
    for (const one of open) if ((lives.get(one) ?? '') < newest) one.connection.stream.destroy()
  }
}

async function isReadOnly(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(READ_ONLY)
  return rows[0]?.is_read_only === true
}

/** Some databases that speak as PostgreSQL does have none: then there is nothing to compare. */
async function timelineOf(client: pg.ClientBase): Promise<string> {
  try {
    const { rows } = await client.query(TIMELINE)
    return String(rows[0]?.timeline)
  } catch (error) {
    if (meaningOf(error) !== 'statement') throw error
    return ''
  }
}
