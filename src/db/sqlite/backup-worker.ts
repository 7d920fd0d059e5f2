import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { readSqliteBackupContents, type SqliteBackupJob } from './backup.ts'

/** Worker thread that copies a database. An error ends it and is thrown to its caller. */
const { from, to } = workerData as SqliteBackupJob

// Created first with mode 0600: SQLite accepts an existing file if it is empty.
closeSync(openSync(to, 'wx', 0o600))
const db = new DatabaseSync(from, { readOnly: true, timeout: 30_000 })
db.prepare('vacuum into ?').run(to)
db.close()
const file = openSync(to, 'r')
fsyncSync(file)
closeSync(file)
parentPort?.postMessage(readSqliteBackupContents(to))
