import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { conflict } from '#core/api-error.ts'
import type { Storage } from '#core/transaction.ts'
import type { BackupFileRow } from '#db/sqlite/backup.ts'
import { fileKey } from '#files/files.ts'
import { type Clock, timestampOf } from '#lib/clock.ts'
import {
  BACKUP_MANIFEST_FILENAME,
  type BackupManifest,
  docketVersion,
  FILES_DIRECTORY,
  SECRET_FILENAME,
} from './backup-manifest.ts'
import { copyRows, readAttachmentRows } from './backup-rows.ts'
import { createChecksumList } from './checksums.ts'
import { copyHashedFile, createHashedFile, fsyncDirectory, fsyncTree } from './hashed-files.ts'
import { withFileDeletionPaused } from './pause-file-deletion.ts'

/** Where an installation keeps its data. */
export interface InstallationLocation {
  dataDir: string
  databaseUrl: string | undefined
  /** Whether the files are in an S3 bucket. */
  bucket: boolean
}

/** What to save, and where to. */
export interface BackupOptions {
  /** A path that does not exist yet, or a directory in which the backup is named by the time. */
  to: string
  /** The secret, if the backup should contain it. */
  secret: string | undefined
  onProgress(what: string): void
}

const MAX_EXAMPLES = 20

/**
 * Makes a backup while the server runs: the rows from one snapshot, then the files that they refer
 * to. The directory gets its name once it is complete and synced; a killed backup leaves
 * `….part-…`.
 */
export async function createBackup(
  location: InstallationLocation,
  storage: Storage,
  options: BackupOptions,
): Promise<BackupManifest & { backup: string }> {
  const backup = await choosePath(options.to, storage.clock)
  await mkdir(dirname(backup), { recursive: true })
  const draft = await mkdtemp(`${backup}.part-`)
  try {
    const work = () => writeBackup(draft, location, storage.clock, options)
    const manifest = await (location.bucket ? work() : withFileDeletionPaused(storage, work))
    await fsyncTree(draft)
    await rename(draft, backup)
    await fsyncDirectory(dirname(backup))
    return { backup, ...manifest }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function choosePath(to: string, clock: Clock): Promise<string> {
  const stats = await stat(to).catch(() => undefined)
  if (!stats) return join(dirname(to), basename(to))
  if (!stats.isDirectory()) throw conflict('backup_exists', `${to} is a file. Choose a directory.`)
  const time = timestampOf(clock.now()).replace(/\.\d+/, '').replaceAll(':', '-')
  return join(to, `docket-${time}`)
}

async function writeBackup(
  directory: string,
  location: InstallationLocation,
  clock: Clock,
  options: BackupOptions,
): Promise<BackupManifest> {
  const { dataDir, databaseUrl, bucket } = location
  const { secret, onProgress } = options
  const sums = await createChecksumList(directory)
  try {
    const made_at = timestampOf(clock.now())
    const copied = await copyRows({ dataDir, databaseUrl, directory, sums, onProgress })
    const engine = databaseUrl === undefined ? 'sqlite' : 'postgres'
    const attachments: BackupManifest['attachments'] = {
      kept: bucket ? 'in the bucket' : 'here',
      ...{ files: 0, bytes: 0, missing: 0, examples: [] },
    }
    if (!bucket) {
      for await (const row of readAttachmentRows(directory, engine)) {
        await copyAttachment(row)
        onProgress(`${attachments.files} files`)
      }
    }
    if (secret !== undefined) await addTextFile(SECRET_FILENAME, `${secret}\n`)
    const manifest: BackupManifest = {
      ...{ format: 1, docket: docketVersion(), made_at, engine, ...copied, attachments },
      secret: secret === undefined ? 'apart' : 'here',
      files: sums.lines,
    }
    await addTextFile(BACKUP_MANIFEST_FILENAME, `${JSON.stringify(manifest, undefined, 2)}\n`)
    await sums.end()
    return manifest

    async function copyAttachment({
      workspace_id,
      id,
      size_bytes,
      sha256,
    }: BackupFileRow): Promise<void> {
      const key = fileKey(workspace_id, id)
      const to = join(directory, FILES_DIRECTORY, key)
      const copy = await copyHashedFile(join(dataDir, FILES_DIRECTORY, key), to).catch(
        ignoreMissingFile,
      )
      if (copy?.sha256 === sha256 && copy.size === size_bytes) {
        await sums.add(`${FILES_DIRECTORY}/${key}`, copy)
        attachments.files += 1
        attachments.bytes += copy.size
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
