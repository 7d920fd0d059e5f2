import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** How a checkpoint in the thread ended. */
export interface CheckpointResult {
  error?: string
}

const db = new DatabaseSync((workerData as { path: string }).path, { timeout: 0 })
// A checkpoint flushes the log before it copies from it, and the database before the log is reused.
db.exec('pragma synchronous = full')
const passive = db.prepare('pragma wal_checkpoint(passive)')

parentPort?.on('message', () => {
  const result: CheckpointResult = {}
  try {
    // Writers append to the log meanwhile; the second checkpoint copies most of that.
    passive.get()
    passive.get()
  } catch (error) {
    result.error = String(error)
  }
  parentPort?.postMessage(result)
})
