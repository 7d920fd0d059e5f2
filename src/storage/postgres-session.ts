import type pg from 'pg'
import { Refusal } from '#core/refusal.ts'
import type { Session } from './group-commit.ts'
import { Ledger } from './ledger.ts'
import { translated } from './postgres-errors.ts'
import type { Prepared } from './prepared.ts'
import { type Connection, counting, type Shared } from './transaction.ts'

/** By this a group of writes has its workspace for itself until it commits. */
export const HOLD_WORKSPACE = 'select id from workspaces where id = $1 for update'

/** A connection that writes for a workspace. */
export interface PostgresSession extends Session {
  connection: Connection
  ledger: Ledger
}

/** Takes a connection for the writes of a workspace. */
export async function openSession(
  pool: pg.Pool,
  names: Prepared,
  workspace_id: string,
  shared: Shared,
): Promise<PostgresSession> {
  const client = await pool.connect()
  const on = counting(connection(client, names))
  const ledger = new Ledger(on, shared)
  let broken: unknown
  return {
    connection: on,
    ledger,
    savepoint: on.savepoint,
    get changes() {
      return on.changes
    },
    async begin() {
      ledger.begin()
      await client.query('begin')
      await on.rows(HOLD_WORKSPACE, [workspace_id])
    },
    async commit() {
      await ledger.write()
      await commit(client)
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

/**
 * Whoever cancels a commit that waits for a synchronous standby makes it a success with a warning. It is
 * none: a fail-over would lose it.
 */
async function commit(client: pg.PoolClient): Promise<void> {
  let alone: string | undefined
  const hear = ({ routine, message = '' }: Record<'routine' | 'message', string | undefined>) => {
    if (routine === 'SyncRepWaitForLSN') alone = message
  }
  client.on('notice', hear)
  try {
    await client.query('commit')
  } finally {
    client.off('notice', hear)
  }
  if (alone !== undefined) throw new Error(`Committed on the primary alone: ${alone}`)
}

/** Through a pooler the names of statements may not stay, and long work cannot be done again for them. */
const UNNAMED: Prepared = { nameOf: () => ({}), isForeign: () => false }

/** Gives work a connection that sees one state of the database for as long as it takes. */
export const inSnapshot = <T>(pool: pg.Pool, work: (on: Connection) => Promise<T>): Promise<T> =>
  onePooled(pool, (client) =>
    seeingOneState(client, 'set local idle_in_transaction_session_timeout = 0', work),
  )

/** Gives work one connection of a pool, which ends if more than a refusal comes of it. */
export async function onePooled<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  let client: pg.PoolClient | undefined
  try {
    client = await pool.connect()
    const done = await work(client)
    client.release()
    return done
  } catch (error) {
    client?.release(!isAnswer(error))
    throw translated(error)
  }
}

/**
 * For a read of tenths of a second, on one processor: parallel workers would be taken from those who
 * wait for less. With this memory the tasks of a large workspace are sorted and joined without files.
 * Settings of a transaction reach the server through a pooler, too.
 */
const LONG = `set local max_parallel_workers_per_gather = 0; set local jit = off;
  set local work_mem = '32MB'`

/** Gives work a connection that reads for long. If more than a refusal comes of it, it is of no use any more. */
export const readingLong = <T>(
  client: pg.PoolClient,
  work: (on: Connection) => Promise<T>,
): Promise<T> => seeingOneState(client, LONG, work)

/** Whether the error is an answer to what was asked, which tells nothing of the database. */
export const isAnswer = (error: unknown): boolean => error instanceof Refusal && error.status < 500

/**
 * Statements have no names here: so PostgreSQL plans them for the values that they are given. A plan for
 * any range of days would be one for a short range.
 */
async function seeingOneState<T>(
  client: pg.PoolClient,
  settings: string,
  work: (on: Connection) => Promise<T>,
): Promise<T> {
  await client.query(`begin isolation level repeatable read read only; ${settings}`)
  try {
    const done = await work(connection(client, UNNAMED))
    await client.query('commit')
    return done
  } catch (error) {
    if (isAnswer(error)) await client.query('rollback')
    throw error
  }
}

/** What is asked in one turn leaves in one piece, for each piece costs a call of the kernel. */
function together({ connection: { stream } }: pg.PoolClient): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/**
 * What a transaction needs of a pool or of one of its connections. `isAlone`: each statement is a
 * transaction of its own.
 */
export function connection(
  db: pg.Pool | pg.PoolClient,
  names: Prepared,
  isAlone = false,
): Connection {
  const ask = async (text: string, values: unknown[]) => {
    if ('connection' in db) together(db)
    try {
      return await db.query({ ...names.nameOf(text), text, values })
    } catch (error) {
      throw translated(error)
    }
  }
  const query = (text: string, values: unknown[]) =>
    ask(text, values).catch((error) => {
      // Of a transaction the whole has to be done again.
      if (names.isForeign(error) && isAlone) return ask(text, values)
      throw error
    })
  return {
    engine: 'postgres',
    rows: async (sql, values) => (await query(sql, values)).rows,
    change: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    savepoint: async (step, name) => {
      if ('connection' in db) together(db)
      await db.query(`${step} ${name}`)
    },
  }
}
