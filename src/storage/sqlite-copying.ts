import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { type CopyOrder, sqliteCopyAt } from './sqlite-copy.ts'

/** The thread that copies. What it throws ends it, and is thrown where it was started. */
const { from, to } = workerData as CopyOrder

// For its owner alone to read: SQLite takes a file that is there, if it is empty.
closeSync(openSync(to, 'wx', 0o600))
const db = new DatabaseSync(from, { readOnly: true, timeout: 30_000 })
db.prepare('vacuum into ?').run(to)
db.close()
const file = openSync(to, 'r')
fsyncSync(file)
closeSync(file)
parentPort?.postMessage(sqliteCopyAt(to))
