import { parentPort, workerData } from 'node:worker_threads'
import { connection, openForReading } from './sqlite-connection.ts'
import { meaningOf } from './sqlite-session.ts'

/** A statement that the thread is to run, and what it tells of it. */
export interface Question {
  id: number
  sql: string
  values: unknown[]
}
export type Answer = { id: number } & (
  | { rows: unknown[]; error?: undefined; isOurs?: undefined }
  /** `isOurs`: the statement is wrong, not the file. */
  | { rows?: undefined; error: string; isOurs: boolean }
)

const on = connection(openForReading((workerData as { path: string }).path))

parentPort?.on('message', async ({ id, sql, values }: Question) => {
  parentPort?.postMessage(await answer(id, sql, values))
})

async function answer(id: number, sql: string, values: unknown[]): Promise<Answer> {
  try {
    return { id, rows: await on.rows(sql, values) }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { id, error: text, isOurs: meaningOf(error) === 'statement' }
  }
}
