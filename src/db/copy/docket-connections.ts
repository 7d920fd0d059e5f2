import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { conflict } from '#core/api-error.ts'

/** Every process of Docket that runs uses a connection more often than this. */
const QUIET_MS = 12_000
const POLL_INTERVAL_MS = 250

/** The connections of Docket to a database. */
interface DocketConnections {
  count: number
  /** How long ago one of them began or ended a statement; 0 if that is not visible. */
  quietMs: number
  /** Changes with each statement. */
  lastUse: string
}

/**
 * Throws while a Docket uses the database. A connection pooler such as PgBouncer keeps the
 * connections of a Docket that has ended, under its name: they are told from those of a running one
 * by their silence. The operator has to close them, because a frozen process is silent, too.
 */
export async function assertNotServed(client: pg.Client, quietMs = QUIET_MS): Promise<void> {
  const first = await readDocketConnections(client)
  for (let current = first; ; current = await readDocketConnections(client)) {
    if (current.count === 0) return
    if (current.lastUse !== first.lastUse) throw inUse()
    if (current.quietMs >= quietMs) throw onlyIdle(current.count)
    await pause(POLL_INTERVAL_MS)
  }
}

async function readDocketConnections(client: pg.Client): Promise<DocketConnections> {
  const { rows } = await client.query<DocketConnections>(CONNECTIONS_SQL)
  const [row] = rows
  if (!row) throw new Error('PostgreSQL does not show its connections')
  return row
}

/** `state_change` is null for the connections of other users, if this one may not see them. */
const CONNECTIONS_SQL = `select count(*)::int as count,
    coalesce(min(extract(epoch from clock_timestamp() - state_change) * 1000), 0)::float8 as "quietMs",
    coalesce(max(state_change)::text, '') as "lastUse"
  from pg_stat_activity where datname = current_database()
    and application_name in ('docket', 'docket-channel', 'docket-migration')`

const inUse = () =>
  conflict(
    'store_in_use',
    'A Docket is connected to the database: stop every process of Docket that uses it first.',
  )

const onlyIdle = (count: number) =>
  conflict(
    'idle_connections',
    `${count} idle ${count === 1 ? 'connection' : 'connections'} of Docket to the database remain, and no ` +
      'running Docket uses them: a connection pooler such as PgBouncer keeps them. Make sure that every ' +
      'process of Docket is stopped, run RECONNECT in the admin console of PgBouncer or restart it, and ' +
      'run this command again.',
  )
