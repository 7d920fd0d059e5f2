import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Actor } from '#core/actor.ts'
import { CommitListeners } from '#core/commit-listeners.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { createClock } from '#lib/clock.ts'
import { AuditWriter } from '../audit/audit-log.ts'
import { createCommitStats, createGroupCommit, guardAwaits } from '../core/group-commit.ts'
import {
  countChanges,
  type EngineConnection,
  type StorageContext,
  Transaction,
} from '../core/transaction.ts'
import { writeOutbox } from '../events/outbox.ts'
import { migrateSqlite, readSqliteSchema } from '../migrate/migrate-sqlite.ts'
import {
  isSchemaCompatible,
  type MigrationListener,
  type SchemaEventListener,
} from '../migrate/schema-version.ts'
import {
  createSqliteConnection,
  openSqliteReader,
  withReadErrors,
  withSqliteSnapshot,
} from './connection.ts'
import { scheduleDeletedDataPurge } from './purge-deleted-data.ts'
import { createReaderThread } from './reader-thread.ts'
import { classifySqliteError, createSqliteSession, prepareWriteStatement } from './session.ts'
import { shareTurnSnapshot } from './turn-snapshot.ts'

/**
 * The figures that the planner is given, as the migrations insert them: the total of rows, then rows
 * per value of each further index column. All other tables have none.
 */
const PLANNER_STATISTICS = [
  ['deliveries', 'deliveries_event', '1000000 100000 5'],
  ['deliveries', 'deliveries_lane', '500000 50000 10000 4 1'],
  ['deliveries', 'deliveries_pending', '500000 50000 10000 10000 8000 5000 2 1'],
  ['deliveries', 'deliveries_status', '1000000 100000 20000 10000 1'],
  ['deliveries', 'deliveries_type', '1000000 100000 20000 5000 1'],
  ['deliveries', 'deliveries_webhook', '1000000 100000 20000 1'],
  ['deliveries', 'sqlite_autoindex_deliveries_1', '1000000 100000 1'],
  ['webhooks', 'sqlite_autoindex_webhooks_1', '100000 50 1'],
  ['webhooks', 'webhooks_due', '50000 2 1'],
] as const

/**
 * Removes statistics that somebody has measured (`analyze`, `pragma optimize`) and restores the fixed
 * ones; returns whether it had to. Measured ones make plans that were never tested: after `analyze`
 * in a database of two projects, SQLite finds a task by scanning all projects, and goes on doing so
 * when there are thousands.
 */
export function restorePlannerStatistics(db: DatabaseSync): boolean {
  const rows = db.prepare('select tbl, idx, stat from sqlite_stat1 order by tbl, idx').all()
  const present = rows.map(({ tbl, idx, stat }) => [tbl, idx, stat])
  if (JSON.stringify(present) === JSON.stringify(PLANNER_STATISTICS)) return false
  db.exec('begin immediate; delete from sqlite_stat1')
  try {
    const insert = db.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)')
    for (const row of PLANNER_STATISTICS) insert.run(...row)
    db.exec('analyze sqlite_schema; commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
  return true
}

export interface SqliteOptions extends StorageContext {
  path: string
  /** How many writes may share one commit. With 1 every write pays for its own disk flush. */
  groupSize?: number
  /** Runs when the disk has failed in a way after which only a restart is safe. */
  onFatal?: (error: unknown) => void
  /** Whether work that awaits anything but its transaction fails; tests enable it. */
  guard?: boolean
  /** Whether a short-lived command opens it, which needs only a small page cache. */
  isCommand?: boolean
  /** How many pages the database may have (default: as many as the disk holds). */
  maxPages?: number
  onSchemaEvent?: SchemaEventListener | undefined
  onMigration?: MigrationListener | undefined
}

/**
 * Every so many pages (31 MiB) a COMMIT copies the write-ahead log into the database. SQLite's default of
 * 1,000 costs a tenth of the write throughput.
 */
const CHECKPOINT_PAGES = 8_000
/** A checkpoint truncates the log to this size if a burst has made it longer. */
const WAL_BYTES = 64 * 1024 * 1024
/** Must hold what a full group changes, or SQLite writes it to the log early: 13 MB for 512 new tasks. */
const WRITER_CACHE_KIB = 32_768
const GROUP = { size: 512, time: 10 }
/** Characters that a probe writes: more than a usual group of writes. */
const PROBE_LENGTH = 262_144
/** The first version that fixes the WAL-reset bug, which could lose a commit. */
const MIN_SQLITE_VERSION = '3.51.3'

/** Opens two connections: one for reading, which sees only committed data, and one for writing. */
export function openSqlite(options: SqliteOptions): Storage {
  const { path, groupSize = GROUP.size, onFatal = () => {}, clock = createClock() } = options
  const writing = openSqliteWriter(path)
  try {
    migrateSqlite(writing, options.onSchemaEvent, options.onMigration)
    restorePlannerStatistics(writing)
    // Until here it waits for a command that is writing; a server must never wait on its event loop.
    writing.exec('pragma busy_timeout = 0')
  } catch (error) {
    writing.close()
    throw error
  }
  if (options.maxPages) writing.exec(`pragma max_page_count = ${options.maxPages}`)
  const reading = openSqliteReader(path)
  if (options.isCommand) for (const db of [reading, writing]) db.exec('pragma cache_size = -8192')
  const readerThread = createReaderThread(path)
  const writer = countChanges(requireTransaction(writing, createSqliteConnection(writing)))
  const snapshot = shareTurnSnapshot(reading, createSqliteConnection(reading))
  const reader = withReadErrors(snapshot)
  const runGuarded: typeof guardAwaits = options.guard ? guardAwaits : (task) => task()
  const listeners = new CommitListeners()
  const shared = { ...options, clock }
  const auditWriter = new AuditWriter(writer, shared)
  const session = createSqliteSession(writing, writer, auditWriter, {
    onBegin: snapshot.endSnapshot,
    onCommit: snapshot.endSnapshot,
    onFatal,
  })
  const tally = createCommitStats()
  const limits = { size: groupSize, time: GROUP.time }
  const commits = createGroupCommit(
    { open: () => session, classifyError: classifySqliteError },
    limits,
    tally,
    (err) => options.onSchemaEvent?.('A listener of commits failed', { err }),
  )
  const probe = prepareWriteStatement(
    writing,
    "insert or replace into installation values ('probe', ?)",
  )
  const deleteProbe = prepareWriteStatement(
    writing,
    "delete from installation where name = 'probe'",
  )

  const watch = watchOthers(writing, listeners)
  const isFree = () => commits.idle && !writing.isTransaction && !snapshot.isHeld()
  const purge = scheduleDeletedDataPurge(writing, isFree, options.onSchemaEvent)
  let onCommitted = (_workspace_id: string) => {}
  const write = <T>(actor: Actor, task: (tx: WriteTx) => Promise<T>, keep: boolean, at?: number) =>
    new Promise<T>((answer, reject) => {
      let tx: Transaction
      let mayHaveToSend = true
      const resolve = (value: T) => {
        answer(value)
        if (!keep) return
        if (tx.hasDueJobs) listeners.onDueJob()
        if (tx.hasNews) listeners.publish(actor.workspace_id, tx.hints)
        if (mayHaveToSend) onCommitted(actor.workspace_id)
      }
      const run = async () =>
        runGuarded(async () => {
          tx = new Transaction(writer, actor, shared, at)
          const value = await task(tx)
          if (!keep) return value
          const sending = await writeOutbox(tx)
          mayHaveToSend = sending !== undefined || tx.events.length === 0
          auditWriter.add(tx.pendingAuditEntries)
          return value
        })
      commits.add({ run, keep, owner: actor.workspace_id, resolve, reject })
    })

  const readNow: Storage['readNow'] = (actor, task) =>
    runGuarded(() => task(new Transaction(reader, actor, shared)))
  const read: Storage['read'] = async (actor, task) => readNow(actor, task)

  return {
    engine: 'sqlite',
    clock,
    commitListeners: listeners,
    // Statements may see different commits, as on PostgreSQL.
    read,
    readNow,
    shareTurn: snapshot.shareTurn,
    readReport: (actor, task) =>
      readerThread.work(actor.workspace_id, (on) => task(new Transaction(on, actor, shared))),
    snapshot: (actor, task) =>
      withSqliteSnapshot(path, (on) => task(new Transaction(on, actor, shared))),
    write: (actor, task, at) => write(actor, task, true, at),
    dryRun: (actor, task) => write(actor, task, false),
    onCommit(listener) {
      onCommitted = listener
    },
    async isReady() {
      // The command line of a newer release may have removed something that this server needs.
      if (!session.failing) return isSchemaCompatible(readSqliteSchema(reading))
      const tryWrite = (statement: StatementSync, ...values: string[]) =>
        new Promise<boolean>((resolve) => {
          const run = async () => statement.run(...values).changes > 0
          commits.add({ run, keep: true, owner: '', resolve, reject: () => resolve(false) })
        })
      // Two commits, because inserting and deleting in one commit would write nothing to the disk.
      return (await tryWrite(probe, '0'.repeat(PROBE_LENGTH))) && tryWrite(deleteProbe)
    },
    stats: () => ({
      ...tally,
      queuedWrites: commits.waiting,
    }),
    async close() {
      clearInterval(watch)
      purge.stop()
      while (!commits.idle) await setImmediate()
      await readerThread.close()
      snapshot.endSnapshot()
      reading.close()
      writing.close()
    },
  }
}

/** Opens the database so that commits are durable when they return, and verifies the settings. */
export function openSqliteWriter(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true })
  db.exec('pragma busy_timeout = 5000')
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec(
    `pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${WRITER_CACHE_KIB}`,
  )
  // Deleted content is overwritten, so that no file keeps erased data.
  db.exec('pragma secure_delete = on')
  // Rollback data of savepoints stays in memory: in a file it costs a fifth of a write.
  db.exec(`pragma journal_size_limit = ${WAL_BYTES}; pragma temp_store = memory`)
  const readPragma = (pragma: string) => Object.values(db.prepare(pragma).get() ?? {})[0]
  const version = String(readPragma('select sqlite_version()'))
  if (version.localeCompare(MIN_SQLITE_VERSION, 'en', { numeric: true }) < 0) {
    throw new Error(
      `Docket needs SQLite ${MIN_SQLITE_VERSION} or newer; this Node brings ${version}.`,
    )
  }
  const requiredPragmas = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1, secure_delete: 1 }
  for (const [pragma, expected] of Object.entries(requiredPragmas)) {
    const actual = readPragma(`pragma ${pragma}`)
    if (actual !== expected) {
      throw new Error(
        `${path}: ${pragma} must be ${expected} and is ${actual}; is it on a local disk?`,
      )
    }
  }
  db.exec('pragma busy_timeout = 0')
  return db
}

const WATCH_INTERVAL_MS = 500

/** Detects commits of another process, such as the command line. What they have changed is unknown. */
function watchOthers(db: DatabaseSync, listeners: CommitListeners): NodeJS.Timeout {
  const version = db.prepare('pragma data_version')
  let seen: unknown
  return setInterval(() => {
    if (listeners.workspaceIds.length === 0) seen = undefined
    else {
      const now = version.get()?.data_version
      if (seen !== undefined && now !== seen) listeners.publishMissed()
      seen = now
    }
  }, WATCH_INTERVAL_MS).unref()
}

/**
 * Rejects changes outside a transaction. A full disk ends the whole transaction, and the statements
 * after it would otherwise commit one by one.
 */
function requireTransaction(db: DatabaseSync, on: EngineConnection): EngineConnection {
  return {
    ...on,
    change(sql, values) {
      if (!db.isTransaction) throw new Error('The transaction was lost')
      return on.change(sql, values)
    },
  }
}
