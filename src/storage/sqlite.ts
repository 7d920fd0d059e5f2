import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Actor } from '#core/actor.ts'
import { Notices } from '#core/notices.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { createClock } from '#lib/clock.ts'
import { groupCommit, newTally } from './group-commit.ts'
import { guarded } from './guard.ts'
import { Ledger } from './ledger.ts'
import { mayWorkOn, type Told } from './migrate.ts'
import { migrateSqlite, schemaOfSqlite } from './migrate-sqlite.ts'
import { writeOutbox } from './outbox.ts'
import { connection, inSnapshot, openForReading, told } from './sqlite-connection.ts'
import { removeRemains } from './sqlite-remains.ts'
import { changing, meaningOf, sqliteSession } from './sqlite-session.ts'
import { sqliteThread } from './sqlite-thread.ts'
import { type Connection, counting, type Surroundings, Transaction } from './transaction.ts'

export interface SqliteOptions extends Surroundings {
  path: string
  /** How many writes may share one commit. With 1 every write pays for its own disk flush. */
  group?: number
  /** Told when the disk has failed in a way after which only a new start is safe. */
  onFatal?: (error: unknown) => void
  /** Whether work that awaits anything but its transaction fails; tests ask for it. */
  guard?: boolean
  /** Whether it is for a command that ends: requests are answered from memory, and it needs little. */
  isCommand?: boolean
  /** How many pages the database may have (default: as many as the disk holds). */
  maxPages?: number
  told?: Told | undefined
}

/** Copying the log into the database at every 1000 pages, as SQLite would, costs a tenth of the writes. */
const CHECKPOINT_PAGES = 8_000
/** To this size the log is cut when it has been copied; a burst may have made it longer. */
const WAL_BYTES = 64 * 1024 * 1024
const GROUP = { size: 512, time: 10 }
/** Characters that a probe writes: more than a group of writes that come together. */
const PROBE = 262_144
/** In these versions the WAL-reset fault, which could lose a commit, is mended. */
const OLDEST = '3.51.3'

/** Two connections: one for reading, which sees only what is committed, and one for writing. */
export function openSqlite(options: SqliteOptions): Storage {
  const { path, group = GROUP.size, onFatal = () => {}, clock = createClock() } = options
  const writing = openForWriting(path)
  try {
    migrateSqlite(writing, options.told)
  } catch (error) {
    writing.close()
    throw error
  }
  if (options.maxPages) writing.exec(`pragma max_page_count = ${options.maxPages}`)
  const reading = openForReading(path)
  if (options.isCommand) for (const db of [reading, writing]) db.exec('pragma cache_size = -8192')
  const far = sqliteThread(path)
  const writer = counting(within(writing, connection(writing)))
  const reader = connection(reading)
  const work = options.guard ? guarded : <T>(doing: () => Promise<T>) => doing()
  const notices = new Notices()
  const shared = { ...options, clock, notices }
  const ledger = new Ledger(writer, shared)
  const session = sqliteSession(writing, writer, ledger, onFatal)
  const tally = newTally()
  const limits = { size: group, time: GROUP.time }
  const commits = groupCommit({ open: () => session, meaningOf }, limits, tally)
  const probe = changing(writing, "insert or replace into installation values ('probe', ?)")
  const forget = changing(writing, "delete from installation where name = 'probe'")

  const watch = watchOthers(writing, notices)
  const isFree = () => commits.idle && !writing.isTransaction
  const remains = removeRemains(writing, isFree, options.told)
  let committed = (_workspace_id: string) => {}
  const write = <T>(actor: Actor, doing: (tx: WriteTx) => Promise<T>, keep: boolean) =>
    new Promise<T>((answer, reject) => {
      let tx: Transaction
      const resolve = (value: T) => {
        answer(value)
        if (!keep) return
        notices.publish(actor.workspace_id, tx.noted, actor.user_id)
        committed(actor.workspace_id)
      }
      const run = () =>
        work(async () => {
          tx = new Transaction(writer, actor, shared)
          const value = await doing(tx)
          if (!keep) return value
          await writeOutbox(tx)
          ledger.note(tx.audited)
          return value
        })
      commits.add({ run, keep, resolve, reject })
    })

  return {
    engine: 'sqlite',
    clock,
    notices,
    // Nothing comes between the statements of a read, for it awaits only them, and they are done
    // when they return. So it sees one state of the database without a transaction of its own.
    read: (actor, doing) => work(() => doing(new Transaction(reader, actor, shared))).catch(told),
    // It has no replica, and needs none: it reads in the process.
    readFar: (actor, doing) =>
      work(() => doing(new Transaction(reader, actor, shared))).catch(told),
    readLong: (actor, doing) => far.work((on) => doing(new Transaction(on, actor, shared))),
    snapshot: (actor, doing) => inSnapshot(path, (on) => doing(new Transaction(on, actor, shared))),
    write: (actor, doing) => write(actor, doing, true),
    rehearse: (actor, doing) => write(actor, doing, false),
    onCommit(listener) {
      committed = listener
    },
    async ready() {
      // A newer Docket's command line may have taken away meanwhile what this server needs.
      if (!session.failing) return mayWorkOn(schemaOfSqlite(reading))
      const tried = (statement: StatementSync, ...values: string[]) =>
        new Promise<boolean>((resolve) => {
          const run = async () => statement.run(...values).changes > 0
          commits.add({ run, keep: true, resolve, reject: () => resolve(false) })
        })
      // Two commits: of what is deleted in the same one nothing is written, and so nothing tried.
      return (await tried(probe, '0'.repeat(PROBE))) && tried(forget)
    },
    vitals: () => ({ ...tally, waiting: commits.waiting }),
    async close() {
      clearInterval(watch)
      remains.stop()
      while (!commits.idle) await setImmediate()
      await far.close()
      reading.close()
      writing.close()
    },
  }
}

/** Opens the database so that a commit is on the disk when it returns, and makes sure that it is so. */
export function openForWriting(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true })
  db.exec('pragma busy_timeout = 5000')
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -65536`)
  // What is deleted is overwritten: no file keeps what was erased.
  db.exec('pragma secure_delete = on')
  // What a savepoint would take back is kept in memory: in a file it costs a fifth of a write.
  db.exec(`pragma journal_size_limit = ${WAL_BYTES}; pragma temp_store = memory`)
  const tell = (pragma: string) => Object.values(db.prepare(pragma).get() ?? {})[0]
  const version = String(tell('select sqlite_version()'))
  if (version.localeCompare(OLDEST, 'en', { numeric: true }) < 0) {
    throw new Error(`Docket needs SQLite ${OLDEST} or newer; this Node brings ${version}.`)
  }
  const holds = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1, secure_delete: 1 }
  for (const [pragma, wanted] of Object.entries(holds)) {
    const is = tell(`pragma ${pragma}`)
    if (is !== wanted) {
      throw new Error(`${path}: ${pragma} must be ${wanted} and is ${is}; is it on a local disk?`)
    }
  }
  db.exec('pragma busy_timeout = 0')
  return db
}

const WATCH_MS = 500

/**
 * Another process, the command line say, may write too. What it wrote is not known, so that those who
 * look on here are told to read everything again.
 */
function watchOthers(db: DatabaseSync, notices: Notices): NodeJS.Timeout {
  const version = db.prepare('pragma data_version')
  let seen: unknown
  return setInterval(() => {
    if (!notices.watched) seen = undefined
    else {
      const now = version.get()?.data_version
      if (seen !== undefined && now !== seen) notices.reset()
      seen = now
    }
  }, WATCH_MS).unref()
}

/**
 * A full disk ends the whole transaction, not only the statement. What came after it would commit by
 * itself, at once: so nothing is changed outside a transaction.
 */
function within(db: DatabaseSync, on: Connection): Connection {
  return {
    ...on,
    change(sql, values) {
      if (!db.isTransaction) throw new Error('The transaction was lost')
      return on.change(sql, values)
    },
  }
}
