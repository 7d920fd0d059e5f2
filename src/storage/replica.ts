import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { ReplicaUse } from '#core/tx.ts'
import { openPool } from './postgres-pool.ts'
import { isAnswer } from './postgres-session.ts'
import { type Prepared, prepared } from './prepared.ts'

/** What is read there, on a connection of its pool, and the names that its statements have in all of them. */
type Work<T> = (client: pg.PoolClient, names: Prepared) => Promise<T>

/** So long it is waited for a replica that is a little behind: the primary could have answered by then. */
const PATIENCE_MS = 100
const AGAIN_MS = 5
/**
 * The record of a commit is no shorter. PostgreSQL flushes pages in the middle of a record, and what is
 * not whole the replica cannot replay: of what it lacks so little it lacks nothing that was acknowledged.
 */
const COMMIT_BYTES = 34
/** For so long a replica is left alone that was behind, and one that did not answer. */
const BEHIND_MS = 1_000
const GONE_MS = 10_000
/** What it must tell and take at once: who asks has a primary that answers. */
const AT_ONCE_MS = 500

const CLUSTER = 'select system_identifier::text as cluster from pg_control_system()'

/** Whatever was acknowledged before this was asked is at or before this position of this timeline. */
const POSITION = `select pg_current_wal_flush_lsn()::text as position,
  ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int as timeline`

/**
 * How many bytes of WAL it lacks up to there; null if it is no standby, or does not follow this timeline
 * (which only a member of pg_read_all_stats may see): then its positions mean something else.
 */
const BEHIND = `select greatest(pg_wal_lsn_diff($1, pg_last_wal_replay_lsn()), 0)::bigint as bytes
  where pg_is_in_recovery()
    and exists (select from pg_stat_wal_receiver where received_tli = $2)`

/**
 * A standby that reads for the primary, and never tells what is older than what was acknowledged (contract
 * 1.1): the primary is asked how far it is, and the standby whether it has got so far. Where it has not,
 * or is gone, or stops the reading (it may, for what is vacuumed on the primary), the primary reads.
 */
export class Replica {
  readonly #primary: pg.Pool
  readonly #pool: pg.Pool
  readonly #names = prepared()
  #leftUntil = 0
  readonly use: ReplicaUse = { replica: 0, primary: 0, behind: 0 }

  constructor(url: string, primary: pg.Pool) {
    this.#primary = primary
    const checked = (client: pg.ClientBase) => this.#isOfCluster(client)
    this.#pool = openPool({ url, connectMs: AT_ONCE_MS, checked })
  }

  /** What the work gives on the replica; undefined if it cannot be done there now. */
  async read<T>(work: Work<T>): Promise<{ value: T } | undefined> {
    const done = performance.now() < this.#leftUntil ? undefined : await this.#attempt(work)
    this.use[done ? 'replica' : 'primary'] += 1
    return done
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  async #attempt<T>(work: Work<T>): Promise<{ value: T } | undefined> {
    let client: pg.PoolClient | undefined
    let isBroken = true
    try {
      // Asked first: what is acknowledged from here on need not be seen.
      const { rows } = await this.#primary.query(POSITION)
      client = await this.#pool.connect()
      const isThere = await this.#hasReached(client, [rows[0]?.position, rows[0]?.timeline])
      const done = isThere && { value: await work(client, this.#names) }
      isBroken = false
      if (done) return done
    } catch (error) {
      // A refusal is the answer; anything else is of the replica, or the primary will say it too.
      isBroken = !isAnswer(error)
      if (!isBroken) throw error
    } finally {
      client?.release(isBroken)
    }
    this.#leftUntil = performance.now() + (isBroken ? GONE_MS : BEHIND_MS)
    return undefined
  }

  async #hasReached(client: pg.PoolClient, position: unknown[]): Promise<boolean> {
    const asked = { text: BEHIND, values: position, query_timeout: AT_ONCE_MS }
    for (const end = performance.now() + PATIENCE_MS; ; await pause(AGAIN_MS)) {
      const { rows } = await client.query(asked)
      const bytes: unknown = rows[0]?.bytes
      if (typeof bytes !== 'number') return false
      this.use.behind = bytes
      if (bytes < COMMIT_BYTES) return true
      if (performance.now() > end) return false
    }
  }

  /** Positions of another cluster would be compared with ours. */
  async #isOfCluster(client: pg.ClientBase): Promise<void> {
    const [ours, its] = await Promise.all([this.#primary.query(CLUSTER), client.query(CLUSTER)])
    if (ours.rows[0]?.cluster !== its.rows[0]?.cluster) {
      throw new Error('DOCKET_DATABASE_REPLICA_URL is no standby of DOCKET_DATABASE_URL')
    }
  }
}
