import { Worker } from 'node:worker_threads'
import { unavailable } from '#core/refusal.ts'
import { fewAtOnce } from './few-at-once.ts'
import type { Answer, Question } from './sqlite-thread-work.ts'
import type { Connection } from './transaction.ts'

/** As long as PostgreSQL lets a statement take. */
const LIMIT_MS = 5_000
/** An idle thread would hold its memory for nothing. */
const IDLE_MS = 60_000
const MOST_WAITING = 16

interface Waiting {
  resolve: (rows: unknown[]) => void
  reject: (error: unknown) => void
}

const gone = (error: unknown) => unavailable('The database cannot be read now.', error)

/**
 * A connection in a thread of its own, for statements that would hold up the event loop. The thread
 * begins with the first of them. What takes too long cannot be stopped, only left: until it has ended
 * the next is refused when its own time is up.
 */
export function sqliteThread(path: string, limitMs = LIMIT_MS) {
  const inTurn = fewAtOnce({ running: 1, waiting: MOST_WAITING })
  const waiting = new Map<number, Waiting>()
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let asked = 0

  function begin(): Worker {
    const begun = new Worker(new URL('./sqlite-thread-work.ts', import.meta.url), {
      workerData: { path },
    })
    begun.unref()
    begun.on('message', ({ id, rows, error, isOurs }: Answer) => {
      const who = waiting.get(id)
      waiting.delete(id)
      if (rows) who?.resolve(rows)
      else who?.reject(isOurs ? new Error(error) : gone(error))
    })
    const lost = (error?: unknown) => {
      if (thread === begun) thread = undefined
      for (const { reject } of waiting.values()) {
        reject(gone(error))
      }
      waiting.clear()
    }
    begun.on('error', lost)
    begun.on('exit', () => lost())
    return begun
  }

  function ask(sql: string, values: unknown[]): Promise<unknown[]> {
    thread ??= begin()
    const id = ++asked
    const question: Question = { id, sql, values }
    return new Promise((resolve, reject) => {
      const late = () => {
        waiting.delete(id)
        reject(unavailable('This takes too long: ask for less.'))
      }
      const limit = setTimeout(late, limitMs)
      const settled =
        <V>(done: (value: V) => void) =>
        (value: V) => {
          clearTimeout(limit)
          done(value)
        }
      waiting.set(id, { resolve: settled(resolve), reject: settled(reject) })
      thread?.postMessage(question)
    })
  }

  const refused = () => Promise.reject(new Error('This connection only reads'))
  const on: Connection = { engine: 'sqlite', rows: ask, change: refused, savepoint: refused }

  return {
    /** Does work on the connection, after the work that came before. */
    work: <T>(work: (on: Connection) => Promise<T>): Promise<T> =>
      inTurn(async () => {
        clearTimeout(idle)
        try {
          return await work(on)
        } finally {
          idle = setTimeout(close, IDLE_MS).unref()
        }
      }),
    close,
  }

  async function close(): Promise<void> {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }
}
