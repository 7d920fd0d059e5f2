import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { DatabaseEngine } from '#core/transaction.ts'
import {
  type BackupContents,
  type BackupFileRow,
  backupSqlite,
  readSqliteBackupFiles,
  toBackupFileRow,
} from '#db/sqlite/backup.ts'
import { fileKey } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import {
  BACKUP_MANIFEST_FILENAME,
  type BackupManifest,
  copyHashedFile,
  createChecksumList,
  createHashedFile,
  DATABASE_COPY_FILENAME,
  docketVersion,
  FILES_DIRECTORY,
  fsyncTree,
  hashFile,
  linkHashedFile,
  readFileLineBatches,
  readFileLines,
  SEALED_SECRET_FILENAME,
  SECRET_FILENAME,
  TABLES_DIRECTORY,
} from './backup-files.ts'

/** Lowers the priority of this process, so that a server beside it gets the CPU first. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // A system call filter may forbid it. The work is done all the same.
  }
}

/** The source of the rows, and the directory of the backup. */
interface CopyRowsOptions {
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

/** Streams the attachment rows of a backup, those in the trash too. */
export async function* readAttachmentRows(
  directory: string,
  engine: DatabaseEngine,
): AsyncGenerator<BackupFileRow> {
  if (engine === 'sqlite') yield* readSqliteBackupFiles(join(directory, DATABASE_COPY_FILENAME))
  else {
    for await (const line of readFileLines(join(directory, pathOf('attachments')))) {
      yield toBackupFileRow(JSON.parse(line) as Record<string, unknown>)
    }
    // The backups of earlier releases have no trash.
    if (!existsSync(join(directory, pathOf('trash')))) return
    for await (const line of readFileLines(join(directory, pathOf('trash')))) {
      const row = JSON.parse(line) as Record<string, unknown>
      if (row.type !== 'attachment') continue
      const { sha256 } = JSON.parse(String(row.record)) as { sha256: string }
      yield toBackupFileRow({ ...row, sha256 })
    }
  }
}

/** Streams the rows of a table as JSON lines, in batches. */
export const readTableLines = (directory: string, table: string): AsyncGenerator<string[]> =>
  readFileLineBatches(join(directory, pathOf(table)), LINE_BATCH_LIMIT)

/** Where an installation keeps its data. */
export interface InstallationLocation {
  dataDir: string
  databaseUrl: string | undefined
  /** Whether the files are in an S3 bucket. */
  bucket: boolean
}

/** The secret of an installation as a backup holds it. */
export interface BackupSecret {
  /** `here`: as it is; `sealed`: encrypted with a passphrase. */
  form: 'here' | 'sealed'
  text: string
}

/** What to write. All of it can be sent to another process. */
export interface BackupContent {
  location: InstallationLocation
  /** The time that the backup carries. */
  madeAt: string
  kind: 'scheduled' | 'manual'
  /** The secret, if the backup should contain it. */
  secret: BackupSecret | undefined
  /**
   * Whether to link attachments instead of copying them. Only for a directory beside the data that
   * is deleted soon: attachments never change, but links share their bytes.
   */
  linksFiles: boolean
}

const MAX_EXAMPLES = 20

/**
 * Writes the rows from one snapshot, then the files that they refer to, and syncs everything to
 * disk. Files must not be deleted meanwhile (`withFileDeletionPaused`).
 */
export async function writeBackup(
  directory: string,
  { location, madeAt, kind, secret, linksFiles }: BackupContent,
  onProgress: (what: string) => void,
): Promise<BackupManifest> {
  const { dataDir, databaseUrl, bucket } = location
  const sums = await createChecksumList(directory)
  const addFile = linksFiles ? linkHashedFile : copyHashedFile
  try {
    const copied = await copyRows({ dataDir, databaseUrl, directory, sums, onProgress })
    const engine = databaseUrl === undefined ? 'sqlite' : 'postgres'
    const attachments: BackupManifest['attachments'] = {
      kept: bucket ? 'in the bucket' : 'here',
      files: 0,
      bytes: 0,
      missing: 0,
      examples: [],
    }
    if (!bucket) {
      for await (const row of readAttachmentRows(directory, engine)) {
        await addAttachment(row)
        onProgress(`${attachments.files} files`)
      }
    }
    if (secret) {
      const name = secret.form === 'here' ? SECRET_FILENAME : SEALED_SECRET_FILENAME
      await addTextFile(name, `${secret.text}\n`)
    }
    const manifest: BackupManifest = {
      format: 1,
      kind,
      docket: docketVersion(),
      made_at: madeAt,
      engine,
      ...copied,
      attachments,
      secret: secret?.form ?? 'apart',
      files: sums.lines,
      bytes: sums.bytes,
    }
    await addTextFile(BACKUP_MANIFEST_FILENAME, `${JSON.stringify(manifest, undefined, 2)}\n`)
    await sums.end()
    await fsyncTree(directory)
    return manifest

    async function addAttachment({ workspace_id, id, size_bytes, sha256 }: BackupFileRow) {
      const key = fileKey(workspace_id, id)
      const to = join(directory, FILES_DIRECTORY, key)
      const added = await addFile(join(dataDir, FILES_DIRECTORY, key), to).catch(ignoreMissingFile)
      if (added?.sha256 === sha256 && added.size === size_bytes) {
        await sums.add(`${FILES_DIRECTORY}/${key}`, added)
        attachments.files += 1
        attachments.bytes += added.size
      } else {
        await rm(to, { force: true })
        attachments.missing += 1
        if (attachments.examples.length < MAX_EXAMPLES) attachments.examples.push(key)
      }
    }
  } catch (error) {
    await sums.abandon()
    throw error
  }

  async function addTextFile(path: string, text: string): Promise<void> {
    const file = await createHashedFile(join(directory, path))
    await file.write(Buffer.from(text))
    await sums.add(path, await file.end())
  }
}

function ignoreMissingFile(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}

/** A time as part of a file name, in UTC. */
export const fileTimeOf = (ms: number): string =>
  timestampOf(ms).replace(/\.\d+/, '').replaceAll(':', '-')
