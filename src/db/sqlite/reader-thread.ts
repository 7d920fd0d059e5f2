import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { serviceUnavailable } from '#core/api-error.ts'
import { createSemaphore, REPORT_LIMITS } from '../core/semaphore.ts'
import type { EngineConnection } from '../core/transaction.ts'
import type { ReaderThreadRequest, ReaderThreadResponse } from './reader-thread-worker.ts'

/** The same as PostgreSQL's statement time-out. */
const STATEMENT_TIMEOUT_MS = 5_000
const START_TIMEOUT_MS = 30_000
/** An idle thread is stopped to free its memory. */
const IDLE_TIMEOUT_MS = 60_000

interface PendingStatement {
  resolve: (rows: unknown[]) => void
  reject: (error: unknown) => void
}

interface StartedThread {
  worker: Worker
  /** Its own: the end of an earlier thread, which may come late, is none of the next one. */
  pending: Map<number, PendingStatement>
  /** Resolves once it has started, which takes seconds on a busy machine, or has failed. */
  isReady: Promise<unknown>
}

const readFailed = (error: unknown) => serviceUnavailable('The database cannot be read now.', error)

/**
 * A connection in a separate thread, for statements that would block the event loop. The thread starts
 * with the first statement. A statement that takes too long cannot be canceled, only abandoned: until
 * it ends, the next statement may time out too.
 */
export function createReaderThread(path: string, limitMs = STATEMENT_TIMEOUT_MS) {
  const runExclusively = createSemaphore(REPORT_LIMITS)
  let thread: StartedThread | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let lastId = 0

  function startThread(): StartedThread {
    const worker = new Worker(new URL('./reader-thread-worker.ts', import.meta.url), {
      workerData: { path },
    })
    worker.unref()
    const pending = new Map<number, PendingStatement>()
    const started = { worker, pending, isReady: once(worker, 'message').catch(() => undefined) }
    worker.on('message', ({ id, rows, error, isStatementError }: ReaderThreadResponse) => {
      const statement = pending.get(id)
      pending.delete(id)
      if (rows) statement?.resolve(rows)
      else statement?.reject(isStatementError ? new Error(error) : readFailed(error))
    })
    const onEnd = (error?: unknown) => {
      if (thread === started) thread = undefined
      for (const { reject } of pending.values()) reject(readFailed(error))
      pending.clear()
    }
    worker.on('error', onEnd)
    worker.on('exit', () => onEnd())
    return started
  }

  function runStatement(sql: string, values: unknown[]): Promise<unknown[]> {
    thread ??= startThread()
    const { worker, pending, isReady } = thread
    const id = ++lastId
    const question: ReaderThreadRequest = { id, sql, values }
    return new Promise((resolve, reject) => {
      const onTimeout = () => {
        pending.delete(id)
        reject(serviceUnavailable('This takes too long: ask for less.'))
      }
      let limit = setTimeout(onTimeout, START_TIMEOUT_MS + limitMs)
      const settled =
        <V>(done: (value: V) => void) =>
        (value: V) => {
          clearTimeout(limit)
          done(value)
        }
      pending.set(id, { resolve: settled(resolve), reject: settled(reject) })
      worker.postMessage(question)
      void isReady.then(() => {
        clearTimeout(limit)
        if (pending.has(id)) limit = setTimeout(onTimeout, limitMs)
      })
    })
  }

  const rejectWrite = () => Promise.reject(new Error('This connection only reads'))
  const on: EngineConnection = {
    engine: 'sqlite',
    rows: runStatement,
    change: rejectWrite,
    savepoint: rejectWrite,
  }

  return {
    /** Runs work on the connection when it is the turn of the workspace. */
    work: <T>(workspace_id: string, work: (on: EngineConnection) => Promise<T>): Promise<T> =>
      runExclusively(workspace_id, async () => {
        clearTimeout(idleTimer)
        try {
          return await work(on)
        } finally {
          idleTimer = setTimeout(close, IDLE_TIMEOUT_MS).unref()
        }
      }),
    close,
  }

  async function close(): Promise<void> {
    clearTimeout(idleTimer)
    const ending = thread
    thread = undefined
    await ending?.worker.terminate()
  }
}
