import { setImmediate as nextTurn } from 'node:timers/promises'
import { serviceUnavailable } from '#core/api-error.ts'
import type { EngineConnection } from '../core/transaction.ts'

/** How long statements may hold the event loop before it turns. */
const SLICE_MS = 10
/** How long a write may take while the server stops, when nobody waits for the event loop. */
const STOPPING_SLICE_MS = 1_000

/** A connection whose long work lets the event loop turn between two statements. */
export interface PacedConnection extends EngineConnection {
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
