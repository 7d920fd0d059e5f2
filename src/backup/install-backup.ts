import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { setSqliteBackupValues } from '#db/sqlite/backup.ts'
import {
  type BackupManifest,
  DATABASE_COPY_FILENAME,
  FILES_DIRECTORY,
  SECRET_FILENAME,
} from './backup-manifest.ts'
import { readTableLines } from './backup-rows.ts'
import { copyHashedFile, createHashedFile, fsyncDirectory, fsyncTree } from './hashed-files.ts'
import type { RestoreTarget } from './restore-backup.ts'

/** A backup that was verified, with its files in their final place. */
export interface StagedBackup {
  from: string
  /** A directory with a copy of its database, on the same disk as the data directory. */
  staged: string
  manifest: BackupManifest
  target: RestoreTarget
  /** The secret that was sealed in the backup, if the installation has none. */
  secret: string | undefined
  onProgress(what: string): void
}

/** Where the root of a disk keeps what its repair has found. It belongs to nobody who restores. */
const REPAIR_DIRECTORY = 'lost+found'

/** Lists the directories of files in a data directory. */
export async function listFileDirectories(dataDir: string): Promise<string[]> {
  const directory = join(dataDir, FILES_DIRECTORY)
  const names = await readdir(directory).catch(() => [])
  return names.filter((name) => name !== REPAIR_DIRECTORY).map((name) => join(directory, name))
}

/** Moves everything else to its final place. The database comes last, in one atomic step. */
export async function installBackup({
  from,
  staged,
  manifest,
  target,
  secret,
  onProgress,
}: StagedBackup): Promise<void> {
  const { dataDir, databaseUrl, values } = target
  const database = join(staged, DATABASE_COPY_FILENAME)
  const files = await listFileDirectories(dataDir)
  if (databaseUrl === undefined) setSqliteBackupValues(database, values)
  await fsyncTree(staged)
  for (const directory of files) await fsyncTree(directory)
  if (files.length > 0) await fsyncDirectory(join(dataDir, FILES_DIRECTORY))
  const secretPath = join(dataDir, SECRET_FILENAME)
  if (secret !== undefined) await writeSecret(secretPath, secret)
  else if (manifest.secret === 'here' && target.secret === undefined && !existsSync(secretPath)) {
    await copyHashedFile(join(from, SECRET_FILENAME), secretPath)
  }
  await fsyncDirectory(dataDir)
  if (databaseUrl === undefined) await rename(database, join(dataDir, DATABASE_FILENAME))
  else {
    const { loadPostgres } = await import('#db/postgres/load.ts')
    const { schema, counts } = manifest
    const readLines = (table: string) => readTableLines(from, table)
    await loadPostgres({
      url: databaseUrl,
      schema,
      counts,
      values,
      readLines,
      onTable: onProgress,
    })
  }
  await fsyncDirectory(dataDir)
  await rm(staged, { recursive: true, force: true })
}

async function writeSecret(path: string, secret: string): Promise<void> {
  const file = await createHashedFile(path)
  await file.write(Buffer.from(`${secret}\n`))
  await file.end()
}
