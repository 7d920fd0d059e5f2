import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { DATABASE_FILENAME } from '../installation/data-dir.ts'

/** The contents of a copied database, of either engine. */
export interface BackupContents {
  /** The schema version, as a number of migrations. */
  schema: number
  /** Rows by table. */
  counts: Record<string, number>
  /** An HMAC that identifies the secret; undefined in a store that was never opened. */
  secret_proof: string | undefined
}

/** The job of the worker thread. */
export interface SqliteBackupJob {
  from: string
  to: string
}

const PROGRESS_INTERVAL_MS = 250

/**
 * Copies the committed state of a SQLite database while others write to it, and checks the whole copy.
 * It takes long, so it runs in a thread; `onProgress` receives the bytes copied so far. SQLite's backup
 * API would restart with every write of another process and might never end.
 */
export async function backupSqlite(
  dataDir: string,
  to: string,
  onProgress: (bytes: number) => void,
): Promise<BackupContents> {
  const workerData: SqliteBackupJob = { from: join(dataDir, DATABASE_FILENAME), to }
  const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), { workerData })
  const progressTimer = setInterval(() => {
    const stats = statSync(to, { throwIfNoEntry: false })
    if (stats) onProgress(stats.size)
  }, PROGRESS_INTERVAL_MS)
  try {
    const [copied] = (await once(worker, 'message')) as [BackupContents]
    return copied
  } finally {
    clearInterval(progressTimer)
    await worker.terminate()
  }
}

/** Reads the contents of a copy that nobody writes to. Throws if it is damaged. */
export function readSqliteBackupContents(path: string): BackupContents {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    assertSound(db)
    const tables = db.prepare(
      "select name from pragma_table_list where schema = 'main' and type = 'table' order by name",
    )
    const counts = tables.all().map(({ name }) => {
      const counted = db.prepare(`select count(*) as n from "${String(name)}"`).get()
      return [String(name), Number(counted?.n)] as const
    })
    const proof = db.prepare("select value from installation where name = 'secret_proof'").get()
    return {
      schema: Number(db.prepare('pragma user_version').get()?.user_version),
      counts: Object.fromEntries(counts),
      secret_proof: proof && String(proof.value),
    }
  } finally {
    db.close()
  }
}

function assertSound(db: DatabaseSync): void {
  const rows = db.prepare('pragma integrity_check(3)').all()
  const complaints = rows.map((row) => String(Object.values(row)[0]))
  if (complaints.join() !== 'ok') throw new Error(`The copy is damaged: ${complaints.join('; ')}`)
  const strays = db.prepare('pragma foreign_key_check').all()
  if (strays.length > 0) {
    throw new Error(`The copy has ${strays.length} rows that point nowhere, in ${strays[0]?.table}`)
  }
}

/** Changes values of `installation` in a copy before it is installed. */
export function setSqliteBackupValues(
  path: string,
  values: Readonly<Record<string, string>>,
): void {
  const db = new DatabaseSync(path)
  try {
    db.exec('pragma synchronous = full')
    const set = db.prepare('insert or replace into installation (name, value) values (?, ?)')
    for (const [name, value] of Object.entries(values)) set.run(name, value)
  } finally {
    db.close()
  }
}

/** Reads the attachment rows of a copy, those in the trash too. */
export function* readSqliteBackupFiles(path: string): Generator<BackupFileRow> {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    // The backups of earlier releases have no trash.
    const hasTrash = db.prepare("select 1 from sqlite_master where name = 'trash'").get()
    const trashed = `union all select workspace_id, id, size_bytes, record ->> 'sha256' as sha256
        from trash where type = 'attachment'`
    const rows = db.prepare(
      `select workspace_id, id, size_bytes, sha256 from attachments ${hasTrash ? trashed : ''}`,
    )
    for (const row of rows.iterate()) yield toBackupFileRow(row)
  } finally {
    db.close()
  }
}

/** The properties of a file that its row contains. */
export interface BackupFileRow {
  workspace_id: string
  id: string
  size_bytes: number
  /** Lower-case hex. */
  sha256: string
}

/** Converts a row from a driver or a dumped line. */
export const toBackupFileRow = (row: Record<string, unknown>): BackupFileRow => ({
  workspace_id: String(row.workspace_id),
  id: String(row.id),
  size_bytes: Number(row.size_bytes),
  sha256: String(row.sha256),
})
