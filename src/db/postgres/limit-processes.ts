import { randomUUID } from 'node:crypto'
import { openPostgresPool } from './pool.ts'

const HEARTBEAT_MS = 5_000
/** A process that has not been seen for this time has ended. */
const PROCESS_TTL_MS = 20_000
/** Assumed until the processes are counted: too many only makes the share of each smaller. */
const ASSUMED_PROCESSES = 16

/**
 * Records by the clock of PostgreSQL that this process is running, and counts the others. Each process
 * deletes the rows of ended ones; rows that another process is deleting are skipped.
 */
const HEARTBEAT_SQL = `
with times as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now),
ended as (
  delete from limit_processes where id in (
    select id from limit_processes, times where seen_at < now - $2 and id <> $1
    for update of limit_processes skip locked
  )
),
noted as (
  insert into limit_processes (id, seen_at) select $1, now from times
  on conflict (id) do update set seen_at = excluded.seen_at
)
select count(*) as others from limit_processes, times where seen_at >= now - $2 and id <> $1`

/**
 * The processes that share rate limits in Redis, known to PostgreSQL: so a process that starts while
 * Redis is gone does not admit the whole limit.
 */
export function createLimitProcesses(url: string, heartbeatMs = HEARTBEAT_MS) {
  const pool = openPostgresPool({ url, maxConnections: 1, isPrimary: true })
  const id = randomUUID()
  let count = ASSUMED_PROCESSES

  async function beat(): Promise<void> {
    const { rows } = await pool.query<{ others: number }>(HEARTBEAT_SQL, [id, PROCESS_TTL_MS])
    count = 1 + (rows[0]?.others ?? 0)
  }
  // A heartbeat that fails is followed by the next; without PostgreSQL no request is served anyway.
  const tryToBeat = () => beat().catch(() => {})
  const counted = tryToBeat()
  const heartbeat = setInterval(tryToBeat, heartbeatMs)
  heartbeat.unref()

  return {
    ready: () => counted,
    count: () => count,
    async close(): Promise<void> {
      clearInterval(heartbeat)
      await counted
      // If this fails, the row expires.
      await pool.query('delete from limit_processes where id = $1', [id]).catch(() => {})
      await pool.end()
    },
  }
}
