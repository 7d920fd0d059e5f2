import { parentPort, workerData } from 'node:worker_threads'
import { createSqliteConnection, openSqliteReader } from './connection.ts'
import { classifySqliteError } from './session.ts'

/** A statement for the reader thread, and its result. */
export interface ReaderThreadRequest {
  id: number
  sql: string
  values: unknown[]
}
export type ReaderThreadResponse = { id: number } & (
  | { rows: unknown[]; error?: undefined; isStatementError?: undefined }
  /** `isStatementError`: the statement is wrong, not the file. */
  | { rows?: undefined; error: string; isStatementError: boolean }
)

const reader = createSqliteConnection(openSqliteReader((workerData as { path: string }).path))

parentPort?.on('message', async ({ id, sql, values }: ReaderThreadRequest) => {
  parentPort?.postMessage(await answer(id, sql, values))
})

// A response to no statement says that the thread has started.
parentPort?.postMessage({ id: 0, rows: [] } satisfies ReaderThreadResponse)

async function answer(id: number, sql: string, values: unknown[]): Promise<ReaderThreadResponse> {
  try {
    return { id, rows: await reader.rows(sql, values) }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { id, error: text, isStatementError: classifySqliteError(error) === 'statement' }
  }
}
