import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { serviceUnavailable } from '#core/api-error.ts'
import type { EngineConnection } from '../core/transaction.ts'
import { hasSearchWords } from '../tasks/search-words.ts'
import { classifySqliteError, prepareWriteStatement } from './session.ts'

const MAX_STATEMENTS = 1_000

/** Adds the function that the search of `Dialect` needs. */
export function addSearchSupport(db: DatabaseSync): void {
  db.function(
    'has_search_words',
    { deterministic: true, directOnly: true },
    (title, description, search) =>
      Number(
        hasSearchWords(
          String(title),
          description === null ? null : String(description),
          String(search),
        ),
      ),
  )
}

/** Opens the database read-only: each statement sees what is committed when it begins. */
export function openSqliteReader(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 5_000, readOnly: true })
  db.exec('pragma cache_size = -32768; pragma temp_store = memory')
  return db
}

/** Runs work on a dedicated connection that sees one snapshot, however long it takes. */
export async function withSqliteSnapshot<T>(
  path: string,
  work: (on: EngineConnection) => Promise<T>,
): Promise<T> {
  const snapshot = openSqliteReader(path)
  try {
    snapshot.exec('begin')
    return await work(createSqliteConnection(snapshot))
  } catch (error) {
    return throwReadError(error)
  } finally {
    snapshot.close()
  }
}

/** Turns the error of a damaged or busy file into a 503, which the client may retry. */
function throwReadError(error: unknown): never {
  if (classifySqliteError(error) === 'statement') throw error
  throw serviceUnavailable('The database cannot be read now.', error)
}

/** Wraps a connection for reading, so that such errors become a 503. */
export const withReadErrors = (connection: EngineConnection): EngineConnection => ({
  ...connection,
  rows(sql, values) {
    try {
      return connection.rows(sql, values)
    } catch (error) {
      return throwReadError(error)
    }
  },
})

/** Adapts SQLite to the interface that a transaction needs; statements are prepared once. */
export function createSqliteConnection(db: DatabaseSync): EngineConnection {
  addSearchSupport(db)
  const prepared = new Map<string, { statement: StatementSync; columns: string[] }>()

  function prepare(sql: string) {
    let entry = prepared.get(sql)
    if (!entry) {
      if (prepared.size >= MAX_STATEMENTS) prepared.clear()
      let statement = db.prepare(sql)
      const columns = statement.columns().map(({ name }) => name)
      if (columns.length === 0) statement = prepareWriteStatement(db, sql)
      statement.setReturnArrays(true)
      entry = { statement, columns }
      prepared.set(sql, entry)
    }
    return entry
  }

  return {
    engine: 'sqlite',
    rows(sql, values) {
      const { statement, columns } = prepare(sql)
      const rows: unknown[] = statement.all(...values.map(toInput))
      return rows.map((row) => toObject(columns, row as unknown[]))
    },
    change: (sql, values) => Number(prepare(sql).statement.run(...values.map(toInput)).changes),
    savepoint: (step, name) => {
      prepare(`${step} ${name}`).statement.run()
    },
  }
}

/**
 * node:sqlite binds a number as a floating-point one, which SQLite writes into text as `2.0`: PostgreSQL
 * would not accept that as an integer.
 */
const toInput = (value: unknown): SQLInputValue =>
  Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue)

/** Objects from node:sqlite have no prototype, which makes JSON.stringify slow. */
function toObject(columns: string[], row: unknown[]): object {
  const object: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at++) object[columns[at] as string] = row[at]
  return object
}

/** How long statements may hold the event loop before it turns. */
const SLICE_MS = 10
/** How long a write may take while the server stops, when nobody waits for the event loop. */
const STOPPING_SLICE_MS = 1_000

/** A connection whose long work lets the event loop turn between two statements. */
interface PacedConnection extends EngineConnection {
  /** Settles when the statements that wait at present have run; undefined if none waits. */
  pendingPause(): Promise<void> | undefined
  /** Fails the statements that wait with 503. From now on no write may take longer than a second. */
  abortLongWrites(): void
}

/**
 * Runs statements at once while they have held the event loop for less than `sliceMs`; later ones
 * wait until it has turned. So a write of 100,000 statements delays other requests by a slice, not by
 * seconds. Its transaction stays open meanwhile, which is safe because only one connection writes, and
 * readers, which use another one, see nothing before the commit. Statements always run in the order in
 * which they were given, also when the caller awaits none of them. All reads share a slice, so many
 * short ones that come together do not hold the event loop either.
 */
export function createPacedConnection(
  connection: EngineConnection,
  sliceMs = SLICE_MS,
): PacedConnection {
  const waiting: { run: () => void; reject: (error: unknown) => void }[] = []
  let paused: Promise<void> | undefined
  let turnStartedAt: number | undefined
  let isStopping = false

  function forgetTurn(): void {
    turnStartedAt = undefined
  }
  function isSliceOver(): boolean {
    const now = performance.now()
    if (turnStartedAt === undefined) {
      turnStartedAt = now
      setImmediate(forgetTurn)
    }
    return now - turnStartedAt >= (isStopping ? STOPPING_SLICE_MS : sliceMs)
  }

  const canRunNow = () => paused === undefined && !isSliceOver()

  function enqueue<T>(statement: () => T | Promise<T>): Promise<T> {
    if (isStopping) throw stoppingError()
    return new Promise<T>((resolve, reject) => {
      const run = () => {
        try {
          resolve(statement())
        } catch (error) {
          reject(error)
        }
      }
      waiting.push({ run, reject })
      paused ??= runWaiting()
    })
  }

  async function runWaiting(): Promise<void> {
    // An immediate that I/O sets runs before timers and other I/O, still in the same turn.
    await nextTurn()
    for (let position = 0; position < waiting.length; position += 1) {
      // The first one always waits for a turn, so that a slice of no length makes progress too.
      if (position === 0 || isSliceOver()) await nextTurn()
      waiting[position]?.run()
    }
    waiting.length = 0
    paused = undefined
  }

  return {
    engine: connection.engine,
    rows: (sql, values) =>
      canRunNow() ? connection.rows(sql, values) : enqueue(() => connection.rows(sql, values)),
    change: (sql, values) =>
      canRunNow() ? connection.change(sql, values) : enqueue(() => connection.change(sql, values)),
    savepoint: (step, name) =>
      canRunNow()
        ? connection.savepoint(step, name)
        : enqueue(() => connection.savepoint(step, name)),
    pendingPause: () => paused,
    abortLongWrites() {
      isStopping = true
      for (const { reject } of waiting) reject(stoppingError())
      waiting.length = 0
    },
  }
}

const stoppingError = () => serviceUnavailable('The server is stopping.')
