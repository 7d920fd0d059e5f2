import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { ReplicaStats } from '#core/transaction.ts'
import { openPostgresPool } from './pool.ts'
import { createStatementNames, isRequestError, type StatementNames } from './session.ts'

/** A read on a connection of the replica, with the statement names of its pool. */
type ReplicaRead<T> = (client: pg.PoolClient, names: StatementNames) => Promise<T>

/** The longest wait for a replica that lags a little; the primary would answer in that time. */
const MAX_WAIT_MS = 100
const POLL_INTERVAL_MS = 5
/**
 * The minimum size of a commit record. PostgreSQL flushes pages in the middle of a record, and a
 * replica cannot replay an incomplete one: a replica that lacks fewer bytes lacks no acknowledged
 * commit.
 */
const COMMIT_BYTES = 34
/** How long the replica is not used after it lagged, and after it did not answer. */
const LAG_PAUSE_MS = 1_000
const FAILURE_PAUSE_MS = 10_000
/** Time-out for connecting and for the position: the primary could answer instead. */
const TIMEOUT_MS = 500

const CLUSTER_SQL = 'select system_identifier::text as cluster from pg_control_system()'

/** All commits acknowledged before this query are at or before this position of the timeline. */
const POSITION_SQL = `select pg_current_wal_flush_lsn()::text as position,
  ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int as timeline`

/**
 * How many bytes of WAL the replica lacks up to a position. No row if it is no standby or follows
 * another timeline (visible only to members of pg_read_all_stats), because positions of different
 * timelines cannot be compared.
 */
const LAG_SQL = `select greatest(pg_wal_lsn_diff($1, pg_last_wal_replay_lsn()), 0)::bigint as bytes
  where pg_is_in_recovery()
    and exists (select from pg_stat_wal_receiver where received_tli = $2)`

/**
 * A standby that serves reads which include every acknowledged write (docs/spec/api.md#addresses-and-methods): the primary
 * reports its position, and the standby whether it has replayed that far. If it has not, does not
 * answer, or cancels the read (as it may for rows vacuumed on the primary), the primary reads.
 */
export class Replica {
  readonly #primary: pg.Pool
  readonly #pool: pg.Pool
  readonly #names = createStatementNames()
  #pausedUntil = 0
  readonly use: ReplicaStats = { replica: 0, primary: 0, behind: 0 }

  constructor(url: string, primary: pg.Pool) {
    this.#primary = primary
    const checked = (client: pg.ClientBase) => this.#assertSameCluster(client)
    this.#pool = openPostgresPool({ url, connectTimeoutMs: TIMEOUT_MS, checkConnection: checked })
  }

  /** Runs the work on the replica; undefined if that is not possible now. */
  async read<T>(work: ReplicaRead<T>): Promise<{ value: T } | undefined> {
    const done = performance.now() < this.#pausedUntil ? undefined : await this.#attempt(work)
    this.use[done ? 'replica' : 'primary'] += 1
    return done
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  async #attempt<T>(work: ReplicaRead<T>): Promise<{ value: T } | undefined> {
    let client: pg.PoolClient | undefined
    let isBroken = true
    try {
      // Read first: commits acknowledged from here on need not be visible.
      const { rows } = await this.#primary.query(POSITION_SQL)
      client = await this.#pool.connect()
      const hasReached = await this.#hasReached(client, [rows[0]?.position, rows[0]?.timeline])
      const done = hasReached && { value: await work(client, this.#names) }
      isBroken = false
      if (done) return done
    } catch (error) {
      // A refusal is the result. Any other error concerns the replica, or the primary will repeat it.
      isBroken = !isRequestError(error)
      if (!isBroken) throw error
    } finally {
      client?.release(isBroken)
    }
    this.#pausedUntil = performance.now() + (isBroken ? FAILURE_PAUSE_MS : LAG_PAUSE_MS)
    return undefined
  }

  async #hasReached(client: pg.PoolClient, position: unknown[]): Promise<boolean> {
    const lagQuery = { text: LAG_SQL, values: position, query_timeout: TIMEOUT_MS }
    for (const end = performance.now() + MAX_WAIT_MS; ; await pause(POLL_INTERVAL_MS)) {
      const { rows } = await client.query(lagQuery)
      const bytes: unknown = rows[0]?.bytes
      if (typeof bytes !== 'number') return false
      this.use.behind = bytes
      if (bytes < COMMIT_BYTES) return true
      if (performance.now() > end) return false
    }
  }

  /** Rejects a replica of another cluster, whose positions mean nothing here. */
  async #assertSameCluster(client: pg.ClientBase): Promise<void> {
    const [ours, its] = await Promise.all([
      this.#primary.query(CLUSTER_SQL),
      client.query(CLUSTER_SQL),
    ])
    if (ours.rows[0]?.cluster !== its.rows[0]?.cluster) {
      throw new Error('DOCKET_DATABASE_REPLICA_URL is no standby of DOCKET_DATABASE_URL')
    }
  }
}
