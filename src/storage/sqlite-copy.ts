import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { DATABASE } from './data-dir.ts'

/** What a copy of a database holds, of whichever engine. */
export interface Copied {
  /** The number of migrations that it has. */
  schema: number
  /** Rows by table. */
  counts: Record<string, number>
  /** What only the right secret gives; undefined in a store that was never opened. */
  secret_proof: string | undefined
}

/** What the thread is told to do. */
export interface CopyOrder {
  from: string
  to: string
}

const LOOK_MS = 250

/**
 * Copies a SQLite database as it is committed at one instant, beside whoever writes to it, and checks
 * the copy whole. In a thread, for it takes long; `told` hears how many bytes there are by now. The
 * backup interface of SQLite would begin anew with each write of another process, and never end.
 */
export async function copySqlite(
  dataDir: string,
  to: string,
  told: (bytes: number) => void,
): Promise<Copied> {
  const workerData: CopyOrder = { from: join(dataDir, DATABASE), to }
  const worker = new Worker(new URL('./sqlite-copying.ts', import.meta.url), { workerData })
  const looking = setInterval(() => {
    const found = statSync(to, { throwIfNoEntry: false })
    if (found) told(found.size)
  }, LOOK_MS)
  try {
    const [copied] = (await once(worker, 'message')) as [Copied]
    return copied
  } finally {
    clearInterval(looking)
    await worker.terminate()
  }
}

/** What a copy that lies still says of itself. Throws where it is damaged. */
export function sqliteCopyAt(path: string): Copied {
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
  const found = db.prepare('pragma integrity_check(3)').all()
  const complaints = found.map((row) => String(Object.values(row)[0]))
  if (complaints.join() !== 'ok') throw new Error(`The copy is damaged: ${complaints.join('; ')}`)
  const strays = db.prepare('pragma foreign_key_check').all()
  if (strays.length > 0) {
    throw new Error(`The copy has ${strays.length} rows that point nowhere, in ${strays[0]?.table}`)
  }
}

/** Changes values of the installation in a copy before it is put in its place. */
export function setInSqliteCopy(path: string, values: Readonly<Record<string, string>>): void {
  const db = new DatabaseSync(path)
  try {
    db.exec('pragma synchronous = full')
    const set = db.prepare('insert or replace into installation (name, value) values (?, ?)')
    for (const [name, value] of Object.entries(values)) set.run(name, value)
  } finally {
    db.close()
  }
}

/** The attachments of which a copy has rows. */
export function* attachmentsInSqlite(path: string): Generator<FileRow> {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const rows = db.prepare('select workspace_id, id, size_bytes, sha256 from attachments')
    for (const row of rows.iterate()) yield fileRowOf(row)
  } finally {
    db.close()
  }
}

/** What a row tells of the file that belongs to it. */
export interface FileRow {
  workspace_id: string
  id: string
  size_bytes: number
  /** Lower-case hex. */
  sha256: string
}

/** The same of a row as a driver or a line gives it. */
export const fileRowOf = (row: Record<string, unknown>): FileRow => ({
  workspace_id: String(row.workspace_id),
  id: String(row.id),
  size_bytes: Number(row.size_bytes),
  sha256: String(row.sha256),
})
