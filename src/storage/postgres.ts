import { hash } from 'node:crypto'
import pg from 'pg'
import { type Actor, NOBODY } from '#core/actor.ts'
import { noticesOf } from '#core/noted.ts'
import { Notices } from '#core/notices.ts'
import type { ReadTx, Storage, WriteTx } from '#core/tx.ts'
import { Fellows } from './fellows.ts'
import { groupCommit, newTally, type Session } from './group-commit.ts'
import { type Migrated, pendingAfter, sqlOf } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { noticesCountedOfAll, type Written, writeOutbox } from './outbox.ts'
import { meaningOf, translated } from './postgres-errors.ts'
import { type Connection, counting, type Surroundings, Transaction } from './transaction.ts'

/** No id is a number and counters stay far below 2^53: whole numbers come as JavaScript numbers. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export interface PostgresOptions extends Surroundings {
  url: string
  /** Connections at most. */
  pool?: number
  /** Where to hear what other processes on the database do; without it this is found out later. */
  listenUrl?: string
  onIdleError?: (error: Error) => void
}

const GROUP = { size: 64, time: 50 }
const MOST_NAMED = 1_000
/** For a server that has stopped answering: longer than its own time-outs need. */
const SILENCE_MS = 8_000
/** Migrations, and copies of everything, may take their time. */
export const PATIENT = { query_timeout: 2 ** 31 - 1 }

/**
 * Writes of a workspace go one group after the other, each group holding the workspace's row: the
 * sequence of events has to be gapless in order of commit, so they could not commit side by side
 * anyway. It leaves no race within a workspace and no deadlock; workspaces do not wait for another.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const pool = openPool(options)
  await migratePostgres(pool)
  const reader = connection(pool)
  const tally = newTally()
  const groups = new Map<string, ReturnType<typeof groupCommit<PostgresSession>>>()

  function groupOf(workspace_id: string) {
    let group = groups.get(workspace_id)
    if (!group) {
      const open = () => openSession(pool, workspace_id)
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
    snapshot: (actor, work) => inSnapshot(pool, (on) => work(new Transaction(on, actor, shared))),
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
    }),
    async close() {
      fellows.close()
      await pool.end()
    },
  }
}

export function openPool({
  url,
  pool: max = 16,
  onIdleError = () => {},
}: Pick<PostgresOptions, 'url' | 'pool' | 'onIdleError'>): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    // What is asked together is sent together; its answers come in the order of the questions.
    pipeline: true,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 5_000,
    query_timeout: SILENCE_MS,
    keepAlive: true,
    lock_timeout: 4_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'docket',
  })
  // Without a listener the end of an idle connection would end the process.
  pool.on('error', onIdleError)
  // So would the end of one that is in use: its query fails and tells of it.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

interface PostgresSession extends Session {
  connection: Connection
}

async function openSession(pool: pg.Pool, workspace_id: string): Promise<PostgresSession> {
  const client = await pool.connect()
  const on = counting(connection(client))
  let broken: unknown
  return {
    connection: on,
    savepoint: on.savepoint,
    get changes() {
      return on.changes
    },
    async begin() {
      await client.query('begin')
      await on.rows('select id from workspaces where id = $1 for update', [workspace_id])
    },
    async commit() {
      await client.query('commit')
    },
    async rollback() {
      await client.query('rollback').catch((error) => {
        broken = error
      })
    },
    end(error = broken) {
      client.release(error !== undefined)
    },
  }
}

/** Gives work a connection that sees one state of the database for as long as it takes. */
async function inSnapshot<T>(pool: pg.Pool, work: (on: Connection) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query('set local idle_in_transaction_session_timeout = 0')
    const done = await work(connection(client))
    await client.query('commit')
    client.release()
    return done
  } catch (error) {
    client.release(true)
    throw error
  }
}

function connection(db: pg.Pool | pg.PoolClient): Connection {
  const query = async (text: string, values: unknown[]) => {
    try {
      return await db.query({ ...nameOf(text), text, values })
    } catch (error) {
      throw translated(error)
    }
  }
  return {
    engine: 'postgres',
    rows: async (sql, values) => (await query(sql, values)).rows,
    change: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    savepoint: async (step, name) => {
      await db.query(`${step} ${name}`)
    },
  }
}

const names = new Map<string, string>()

/** A named statement is planned once for each connection; there is room for so many of them. */
function nameOf(sql: string): { name?: string } {
  let name = names.get(sql)
  if (name === undefined) {
    if (names.size >= MOST_NAMED) return {}
    name = hash('sha256', sql).slice(0, 32)
    names.set(sql, name)
  }
  return { name }
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
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    await client.query('begin')
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
    // With its time-outs switched off it is not for requests.
    client.release(true)
  }
}

/** A commit must be on the disk when it returns. */
async function assertDurable(client: pg.PoolClient): Promise<void> {
  const [fault] = await durabilityFaults(client)
  if (fault !== undefined) {
    throw new Error(`PostgreSQL runs with ${fault}: an acknowledged write could be lost.`)
  }
}

/** Settings of the server with which a commit may be lost that has returned. */
export async function durabilityFaults(db: pg.Pool | pg.PoolClient): Promise<string[]> {
  const faults: string[] = []
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await db.query(`show ${setting}`)
    if (rows[0]?.[setting] === 'off') faults.push(`${setting} = off`)
  }
  return faults
}
