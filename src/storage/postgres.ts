import type pg from 'pg'
import { type Actor, NOBODY } from '#core/actor.ts'
import { noticesOf } from '#core/noted.ts'
import { Notices } from '#core/notices.ts'
import type { ReadTx, Storage, WriteTx } from '#core/tx.ts'
import { createClock } from '#lib/clock.ts'
import { Fellows } from './fellows.ts'
import { fewAtOnce } from './few-at-once.ts'
import { groupCommit, newTally } from './group-commit.ts'
import { mayWorkOn, type Told } from './migrate.ts'
import { migratePostgres, schemaOf } from './migrate-postgres.ts'
import { noticesCountedOfAll, type Written, writeOutbox } from './outbox.ts'
import { meaningOf } from './postgres-errors.ts'
import { openPool, type PoolOptions } from './postgres-pool.ts'
import {
  connection,
  inSnapshot,
  onePooled,
  openSession,
  type PostgresSession,
  readingLong,
} from './postgres-session.ts'
import { prepared } from './prepared.ts'
import { Replica } from './replica.ts'
import { type Surroundings, Transaction } from './transaction.ts'

export interface PostgresOptions extends Surroundings, PoolOptions {
  /** Where to hear what other processes on the database do; without it this is found out later. */
  listenUrl?: string
  told?: Told | undefined
  /** A standby that may read what is asked for seldom and is much. */
  replicaUrl?: string | undefined
}

const GROUP = { size: 64, time: 50 }
const MOST_NAMED = 1_000
/** Long reads follow one another, as on SQLite: each has one processor of the database for tenths of a second. */
const LONG = { running: 1, waiting: 16 }

/**
 * Writes of a workspace go one group after the other, each group holding the workspace's row: the
 * sequence of events has to be gapless in order of commit, so they could not commit side by side
 * anyway. It leaves no race within a workspace and no deadlock; workspaces do not wait for another.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  await migratePostgres(options.url, options.told)
  const pool = openPool({ ...options, isPrimary: true })
  const names = prepared()
  const reader = connection(pool, names, true)
  const replica =
    options.replicaUrl === undefined ? undefined : new Replica(options.replicaUrl, pool)
  const tally = newTally()
  const groups = new Map<string, ReturnType<typeof groupCommit<PostgresSession>>>()

  function groupOf(workspace_id: string) {
    let group = groups.get(workspace_id)
    if (!group) {
      const open = () => openSession(pool, names, workspace_id, shared)
      group = groupCommit({ open, meaningOf }, GROUP, tally)
      groups.set(workspace_id, group)
    }
    return group
  }

  const notices: Notices = new Notices({ isShared: true, onWatched: (id) => fellows.watched(id) })
  const { clock = createClock() } = options
  const shared = { ...options, clock, notices }
  let committed = (_workspace_id: string) => {}
  const countsOf = async (ids: readonly string[]) => {
    const count = (tx: ReadTx) => tx.all(noticesCountedOfAll, { ids: [...ids] })
    const rows = await read(NOBODY, count)
    return new Map(rows.map(({ id, last_notice }) => [id, last_notice]))
  }
  // One statement is one snapshot, and a loader is one statement: a read needs no transaction,
  // and so one round trip instead of three.
  const read: Storage['read'] = (actor, work) => work(new Transaction(reader, actor, shared))
  const readFar: Storage['readFar'] = async (actor, work) => {
    const far = await replica?.read((client, names) =>
      work(new Transaction(connection(client, names), actor, shared)),
    )
    return far ? far.value : read(actor, work)
  }
  const inTurn = fewAtOnce(LONG)
  const readLong: Storage['readLong'] = (actor, work) =>
    inTurn(async () => {
      const on = (client: pg.PoolClient) =>
        readingLong(client, (on) => work(new Transaction(on, actor, shared)))
      const far = await replica?.read(on)
      return far ? far.value : onePooled(pool, on)
    })
  const fellows = new Fellows(
    { notices, countsOf, woken: (id) => committed(id) },
    options.listenUrl,
  )
  const write = <T>(actor: Actor, work: (tx: WriteTx) => Promise<T>, keep: boolean) =>
    new Promise<T>((answer, reject) => {
      let written: Written | undefined
      const resolve = (value: T) => {
        answer(value)
        if (!keep) return
        if (written) fellows.committed(actor.workspace_id, written)
        committed(actor.workspace_id)
      }
      const group = groupOf(actor.workspace_id)
      const run = async (session: PostgresSession) => {
        const tx = new Transaction(session.connection, actor, shared)
        const value = await work(tx)
        if (!keep) return value
        written = await writeOutbox(tx, noticesOf(tx.noted, actor.user_id))
        session.ledger.note(tx.audited)
        return value
      }
      group.add({ run, keep, resolve, reject })
    }).finally(() => {
      if (groups.size > MOST_NAMED) forgetIdle()
    }) as Promise<T>

  function forgetIdle() {
    for (const [id, group] of groups) if (group.idle) groups.delete(id)
  }

  return {
    engine: 'postgres',
    clock,
    notices,
    read,
    readFar,
    readLong,
    snapshot: (actor, work) => inSnapshot(pool, (on) => work(new Transaction(on, actor, shared))),
    write: (actor, work) => write(actor, work, true),
    rehearse: (actor, work) => write(actor, work, false),
    onCommit(listener, dispatcher_id) {
      committed = listener
      fellows.dispatcher_id = dispatcher_id
    },
    // A newer Docket may have taken away meanwhile what this one needs.
    ready: () => schemaOf(pool).then(mayWorkOn, () => false),
    vitals: () => ({
      ...tally,
      waiting: [...groups.values()].reduce((sum, { waiting }) => sum + waiting, 0),
      connections: {
        open: pool.totalCount,
        idle: pool.idleCount,
        awaited: pool.waitingCount,
      },
      ...(replica && { replica: replica.use }),
    }),
    async close() {
      fellows.close()
      await replica?.close()
      await pool.end()
    },
  }
}
