import { join } from 'node:path'
import type { DatabaseEngine } from '#core/transaction.ts'
import {
  type BackupContents,
  type BackupFileRow,
  backupSqlite,
  readSqliteBackupFiles,
  toBackupFileRow,
} from '#db/sqlite/backup.ts'
import { DATABASE_COPY_FILENAME, TABLES_DIRECTORY } from './backup-manifest.ts'
import type { createChecksumList } from './checksums.ts'
import { createHashedFile, hashFile } from './hashed-files.ts'
import { readFileLineBatches, readFileLines } from './read-file-lines.ts'

/** The source of the rows, and the directory of the backup. */
export interface CopyRowsOptions {
  dataDir: string
  databaseUrl: string | undefined
  directory: string
  sums: Awaited<ReturnType<typeof createChecksumList>>
  onProgress(what: string): void
}

/** The lines that are sent to the database together, as one parameter. */
const LINE_BATCH_LIMIT = { lines: 500, characters: 1_000_000 }

/** Copies all rows of an installation from one snapshot. */
export async function copyRows(options: CopyRowsOptions): Promise<BackupContents> {
  const { dataDir, databaseUrl, directory, sums, onProgress } = options
  if (databaseUrl !== undefined) return dumpTables(databaseUrl, options)
  const to = join(directory, DATABASE_COPY_FILENAME)
  const copied = await backupSqlite(dataDir, to, (bytes) =>
    onProgress(`database, ${formatMegabytes(bytes)}`),
  )
  await sums.add(DATABASE_COPY_FILENAME, await hashFile(to))
  return copied
}

const formatMegabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

async function dumpTables(
  url: string,
  { directory, sums, onProgress }: CopyRowsOptions,
): Promise<BackupContents> {
  // Imported here because SQLite does not need the memory of the PostgreSQL driver.
  const { dumpPostgres } = await import('#db/postgres/dump.ts')
  let open: { table: string; file: Awaited<ReturnType<typeof createHashedFile>> } | undefined
  let rows = 0
  const finish = async () => {
    if (open) await sums.add(pathOf(open.table), await open.file.end())
    open = undefined
  }
  try {
    const copied = await dumpPostgres(url, async (table, lines) => {
      if (open?.table !== table) {
        await finish()
        open = { table, file: await createHashedFile(join(directory, pathOf(table))) }
      }
      rows += lines.length
      onProgress(`${table}, ${rows} rows so far`)
      if (lines.length > 0) await open.file.write(Buffer.from(`${lines.join('\n')}\n`))
    })
    await finish()
    return copied
  } finally {
    await open?.file.abandon()
  }
}

const pathOf = (table: string) => `${TABLES_DIRECTORY}/${table}.jsonl`

/** Streams the attachment rows of a backup. */
export async function* readAttachmentRows(
  directory: string,
  engine: DatabaseEngine,
): AsyncGenerator<BackupFileRow> {
  if (engine === 'sqlite') yield* readSqliteBackupFiles(join(directory, DATABASE_COPY_FILENAME))
  else {
    for await (const line of readFileLines(join(directory, pathOf('attachments')))) {
      yield toBackupFileRow(JSON.parse(line) as Record<string, unknown>)
    }
  }
}

/** Streams the rows of a table as JSON lines, in batches. */
export const readTableLines = (directory: string, table: string): AsyncGenerator<string[]> =>
  readFileLineBatches(join(directory, pathOf(table)), LINE_BATCH_LIMIT)
