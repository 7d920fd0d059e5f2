import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { SchemaEventListener } from '../migrate/schema-version.ts'
import type { CheckpointResult } from './checkpoint-worker.ts'

/** SQLite's default, a checkpoint every 1,000 pages, costs a tenth of the write throughput. */
const CHECKPOINT_PAGES = 8_000
/** If the thread fails or does not keep up, a commit copies the log from this length on. */
const COMMIT_CHECKPOINT_PAGES = 64_000
/** As many pages as the writer copies itself, which takes about 15 ms. */
const MAX_LAST_PAGES = 2_000
/** How often the log is measured at most: it takes as long as a tenth of a commit. */
const MEASURE_INTERVAL_MS = 20
/** Pause after a checkpoint, which a reader may have kept from copying everything. */
const PAUSE_MS = 1_000
const PAUSE_AFTER_ERROR_MS = 30_000
/** An idle thread is stopped to free its memory. */
const IDLE_TIMEOUT_MS = 60_000

/** Copies the write-ahead log into the database, mostly in a thread. */
export interface Checkpointer {
  /** Called after each commit; begins a checkpoint if the log is long. */
  check(): void
  /** Whether a checkpoint is under way. */
  isRunning(): boolean
  /** Ends the thread; a checkpoint that is under way comes to its end. */
  close(): Promise<void>
}

/**
 * Replaces the checkpoints within a COMMIT of the writer `db`, which hold the event loop while they
 * copy 8,000 pages and flush the database. The commit itself still flushes the log before it returns,
 * so nothing that was acknowledged depends on the thread. SQLite begins the log anew only when all of
 * it is copied. A thread never achieves that while the writer appends, so the writer itself copies the
 * last pages, after a commit.
 */
export function createCheckpointer(
  db: DatabaseSync,
  path: string,
  onEvent: SchemaEventListener = () => {},
  pages = CHECKPOINT_PAGES,
): Checkpointer {
  db.exec(`pragma wal_autocheckpoint = ${COMMIT_CHECKPOINT_PAGES}`)
  const measureLog = db.prepare('pragma wal_checkpoint(noop)')
  let thread: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined
  const copyRest = db.prepare('pragma wal_checkpoint(passive)')
  let isRunning = false
  let isRestDue = false
  let pausedUntil = 0
  let measuredAt = Number.NEGATIVE_INFINITY

  function startThread(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      workerData: { path },
    })
    worker.unref()
    const onEnd = (error?: unknown) => {
      if (thread !== worker) return
      thread = undefined
      settle(error === undefined ? undefined : String(error))
    }
    worker.on('message', ({ error }: CheckpointResult) => settle(error))
    worker.on('error', onEnd)
    worker.on('exit', () => onEnd())
    return worker
  }

  function settle(error: string | undefined): void {
    // A time-out that was left running would end the thread in the middle of a later checkpoint.
    clearTimeout(idleTimer)
    isRunning = false
    isRestDue = error === undefined
    pausedUntil = performance.now() + (error === undefined ? PAUSE_MS : PAUSE_AFTER_ERROR_MS)
    if (error !== undefined) onEvent('The write-ahead log could not be copied', { error })
    idleTimer = setTimeout(close, IDLE_TIMEOUT_MS).unref()
  }

  async function close(): Promise<void> {
    clearTimeout(idleTimer)
    const ending = thread
    thread = undefined
    isRunning = false
    await ending?.terminate()
  }

  return {
    check() {
      if (isRunning) return
      const now = performance.now()
      if (!isRestDue && now - measuredAt < MEASURE_INTERVAL_MS) return
      measuredAt = now
      try {
        const { log, checkpointed } = measureLog.get() ?? {}
        const rest = Number(log) - Number(checkpointed)
        if (isRestDue && rest <= MAX_LAST_PAGES) {
          isRestDue = false
          copyRest.get()
          return
        }
        if (rest < pages || now < pausedUntil) return
        clearTimeout(idleTimer)
        isRunning = true
        thread ??= startThread()
        thread.postMessage('checkpoint')
      } catch (error) {
        // The commit before has succeeded, and must not be reported as failed.
        settle(String(error))
      }
    },
    isRunning: () => isRunning,
    close,
  }
}
