import type pg from 'pg'
import { type Actor, NOBODY } from '#core/actor.ts'
import { noticesOf } from '#core/noted.ts'
import { Notices } from '#core/notices.ts'
import type { ReadTx, Storage, WriteTx } from '#core/tx.ts'
import { Fellows } from './fellows.ts'
import { groupCommit, newTally } from './group-commit.ts'
import { type Migrated, pendingAfter, sqlOf } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { noticesCountedOfAll, type Written, writeOutbox } from './outbox.ts'
import { meaningOf } from './postgres-errors.ts'
import { openPool, PATIENT, type PoolOptions } from './postgres-pool.ts'
import { connection, openSession, type PostgresSession } from './postgres-session.ts'
import { prepared } from './prepared.ts'
import { Replica } from './replica.ts'
import { type Surroundings, Transaction } from './transaction.ts'

export interface PostgresOptions extends Surroundings, PoolOptions {
  /** Where to hear what other processes on the database do; without it this is found out later. */
  listenUrl?: string
  /** A standby that may read what is asked for seldom and is much. */
  replicaUrl?: string | undefined
}

const GROUP = { size: 64, time: 50 }
const MOST_NAMED = 1_000

/**
 * Writes of a workspace go one group after the other, each group holding the workspace's row: the
 * sequence of events has to be gapless in order of commit, so they could not commit side by side
 * anyway. It leaves no race within a workspace and no deadlock; workspaces do not wait for another.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const pool = openPool({ ...options, isPrimary: true })
  await migratePostgres(pool)
  const names = prepared()
  const reader = connection(pool, names, true)
  const replica =
    options.replicaUrl === undefined ? undefined : new Replica(options.replicaUrl, pool)
  const tally = newTally()
  const groups = new Map<string, ReturnType<typeof groupCommit<PostgresSession>>>()

  function groupOf(workspace_id: string) {
    let group = groups.get(workspace_id)
    if (!group) {
      const open = () => openSession(pool, names, workspace_id)
      group = groupCommit({ open, meaningOf }, GROUP, tally)
      groups.set(workspace_id, group)
    }
    return group
  }

  const notices: Notices = new Notices({ isShared: true, onWatched: (id) => fellows.watched(id) })
  const shared = { ...options, notices }
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
    const far = await replica?.read((on) => work(new Transaction(on, actor, shared)))
    return far ? far.value : read(actor, work)
  }
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
        if (keep) written = await writeOutbox(tx, noticesOf(tx.noted, actor.user_id))
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
    notices,
    read,
    readFar,
    write: (actor, work) => write(actor, work, true),
    rehearse: (actor, work) => write(actor, work, false),
    onCommit(listener, dispatcher_id) {
      committed = listener
      fellows.dispatcher_id = dispatcher_id
    },
    ready: () =>
      pool.query('select 1').then(
        () => true,
        () => false,
      ),
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

/** The lock of whoever makes or changes tables. */
export const MIGRATING = 4_000_000

/** Beside servers of the release before, under load, whoever changes tables may end in a deadlock. */
const MIGRATING_TRIES = 10

/** Applies what is missing, one runner at a time, all of it or nothing. */
export async function migratePostgres(pool: pg.Pool): Promise<Migrated> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrateOnce(pool)
    } catch (error) {
      if (meaningOf(error) !== 'again' || tries === MIGRATING_TRIES) throw error
    }
  }
}

async function migrateOnce(pool: pg.Pool): Promise<Migrated> {
  const client = await pool.connect()
  try {
    // Of this transaction alone: a pooler hands the session on to others.
    await client.query('begin; set local statement_timeout = 0; set local lock_timeout = 0')
    const lock = { ...PATIENT, text: 'select pg_advisory_xact_lock($1)', values: [MIGRATING] }
    await client.query(lock)
    await assertDurable(client)
    await client.query('create table if not exists schema_version (version integer not null)')
    const { rows } = await client.query('select max(version) as version from schema_version')
    const from = Number(rows[0]?.version ?? 0)
    const pending = pendingAfter(from)
    for (const [index, migration] of pending.entries()) {
      const change = { ...PATIENT, text: sqlOf(migration, 'postgres') }
      await client.query(change)
      await client.query('insert into schema_version values ($1)', [from + index + 1])
    }
    await client.query('commit')
    const applied = pending.map(({ name }) => name)
    return { engine: 'postgres', from, to: MIGRATIONS.length, applied }
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** A commit must be on the disk when it returns. */
async function assertDurable(client: pg.PoolClient): Promise<void> {
  const [fault] = await durabilityFaults(client)
  if (fault !== undefined) {
    throw new Error(`PostgreSQL runs with ${fault}: an acknowledged write could be lost.`)
  }
}

const ALONE = `select current_setting('synchronous_commit') = 'local'
  and current_setting('synchronous_standby_names') <> '' as is_alone`

/** Settings of the server with which a commit may be lost that has returned. */
export async function durabilityFaults(db: pg.Pool | pg.PoolClient): Promise<string[]> {
  const faults: string[] = []
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await db.query(`show ${setting}`)
    if (rows[0]?.[setting] === 'off') faults.push(`${setting} = off`)
  }
  // Without a standby to wait for it is as good as `on`.
  const { rows } = await db.query(ALONE)
  if (rows[0]?.is_alone) faults.push('synchronous_commit = local beside synchronous_standby_names')
  return faults
}
