import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '#core/api-error.ts'
import { DATABASE_FILENAME, serveDataDir } from '#db/installation/data-dir.ts'
import { makeDirectory } from '#db/installation/make-directory.ts'
import { migrateStore } from '#db/installation/open-store.ts'
import { pendingMigrations } from '#db/migrate/schema-version.ts'
import { readSqliteBackupContents } from '#db/sqlite/backup.ts'
import { fileKey } from '#files/files.ts'
import { backupDamaged } from './backup-damaged.ts'
import {
  type BackupManifest,
  DATABASE_COPY_FILENAME,
  FILES_DIRECTORY,
  readBackupManifest,
  SECRET_FILENAME,
} from './backup-manifest.ts'
import { readAttachmentRows } from './backup-rows.ts'
import { verifyFiles } from './checksums.ts'
import { installBackup, listFileDirectories } from './install-backup.ts'
import { openRestoredSecret, type SecretTarget } from './restored-secret.ts'
import { NO_BACKUPS_VALUES } from './scheduled/backup-state.ts'
import type { InstallationLocation } from './write-backup.ts'

/** The empty installation to restore into. */
export interface RestoreTarget extends InstallationLocation, SecretTarget {
  /** Overrides for rows of `installation`: a restored copy must not send to webhooks by itself. */
  values: Readonly<Record<string, string>>
}

/** The result of a restore. */
export interface RestoreResult {
  manifest: BackupManifest
  /** Where the secret is. If it is `missing`, the operator has to provide it. */
  secret: 'set' | 'in the data directory' | 'missing'
  /** Migrations that ran after the restore. */
  applied: string[]
}

type OnRestoreProgress = (what: string) => void

/** Checks that this release can restore a backup, which it reads to its last byte. */
export async function checkBackup(
  from: string,
  onProgress: OnRestoreProgress,
): Promise<BackupManifest> {
  assertNotNewer(await readBackupManifest(from))
  return verifyBackup(from, onProgress)
}

/**
 * Reads a backup to its last byte and compares it with its manifest and checksums. After a rollback
 * this release also makes backups of a newer schema, which only the newer release can restore.
 */
export async function verifyBackup(
  from: string,
  onProgress: OnRestoreProgress,
): Promise<BackupManifest> {
  const manifest = await readBackupManifest(from)
  await verifyFiles(from, manifest, { copyPathFor: () => undefined, onFile: onProgress })
  await compareWithManifest(from, { database: from, files: from }, manifest)
  return manifest
}

/**
 * Restores a backup into an empty installation and verifies it on the way. The database comes last,
 * so that a killed restore has restored nothing and can be started again.
 */
export async function restoreBackup(
  from: string,
  target: RestoreTarget,
  onProgress: OnRestoreProgress,
): Promise<RestoreResult> {
  const manifest = await readBackupManifest(from)
  assertCompatible(manifest, target)
  const { dataDir } = target
  makeDirectory(dataDir, 0o700)
  const lock = serveDataDir(dataDir)
  if (!lock) throw conflict('store_in_use', `A Docket server uses ${dataDir}. Stop it first.`)
  try {
    const staged = join(dataDir, 'restoring')
    await assertEmpty(target, staged)
    const secret = await openRestoredSecret(from, manifest, target)
    await clearUnfinishedRestore(dataDir, staged)
    await mkdir(staged, { mode: 0o700 })
    const copyPathFor = (path: string) => {
      // Straight to their place, which may be another disk.
      if (path.startsWith(`${FILES_DIRECTORY}/`)) return join(dataDir, path)
      return path === DATABASE_COPY_FILENAME ? join(staged, path) : undefined
    }
    try {
      await verifyFiles(from, manifest, { copyPathFor, onFile: onProgress })
      await compareWithManifest(from, { database: staged, files: dataDir }, manifest)
    } catch (error) {
      await clearUnfinishedRestore(dataDir, staged)
      throw error
    }
    // Positions of readers of the feed of changes belong to what the installation was before.
    const values = { ...NO_BACKUPS_VALUES, ...target.values, change_history: randomUUID() }
    await installBackup({
      from,
      staged,
      manifest,
      secret,
      onProgress,
      target: { ...target, values },
    })
  } finally {
    lock.release()
  }
  const { applied } = await migrateStore(target)
  return { manifest, secret: locateSecret(target), applied }
}

/** Tables of a newer version cannot be created, even if this version could run on them. */
const assertNotNewer = ({ schema: version }: BackupManifest) =>
  pendingMigrations({ version, minCodeVersion: version })

function assertCompatible(manifest: BackupManifest, location: InstallationLocation): void {
  const { engine, attachments } = manifest
  assertNotNewer(manifest)
  const engineHere = location.databaseUrl === undefined ? 'sqlite' : 'postgres'
  if (engine !== engineHere) {
    const how = engine === 'sqlite' ? 'unset DOCKET_DATABASE_URL' : 'set DOCKET_DATABASE_URL'
    throw conflict(
      'other_engine',
      `The backup is of ${engine}, but this installation uses ${engineHere}: ${how}.`,
    )
  }
  if (attachments.files + attachments.missing > 0 && location.bucket) {
    const how = 'Restore without the DOCKET_S3_… settings, then copy the files to the bucket.'
    throw conflict(
      'files_elsewhere',
      `The backup contains files, but this installation keeps them in a bucket. ${how}`,
    )
  }
}

/**
 * Existing data is never overwritten. Files next to a staging directory are those of a killed
 * restore.
 */
async function assertEmpty(
  { dataDir, databaseUrl }: InstallationLocation,
  staged: string,
): Promise<void> {
  const notEmpty = (what: string) =>
    conflict('store_not_empty', `${what} already exists. Restore into an empty installation.`)
  if (databaseUrl !== undefined) {
    const { hasDocketTables } = await import('#db/postgres/load.ts')
    if (await hasDocketTables(databaseUrl)) throw notEmpty('Docket data in this database')
  }
  for (const suffix of ['', '-wal', '-shm']) {
    const path = join(dataDir, `${DATABASE_FILENAME}${suffix}`)
    if (databaseUrl === undefined && existsSync(path)) throw notEmpty(path)
  }
  const files = await listFileDirectories(dataDir)
  if (files.length > 0 && !existsSync(staged)) throw notEmpty(join(dataDir, FILES_DIRECTORY))
}

/**
 * Removes what a restore that did not finish has left. The staging directory goes last: without it the
 * files would pass as those of an installation. Their own directory stays, which may be a mount point.
 */
async function clearUnfinishedRestore(dataDir: string, staged: string): Promise<void> {
  for (const path of await listFileDirectories(dataDir)) {
    await rm(path, { recursive: true, force: true })
  }
  await rm(staged, { recursive: true, force: true })
}

function locateSecret({ secret, dataDir }: RestoreTarget): RestoreResult['secret'] {
  if (secret !== undefined) return 'set'
  return existsSync(join(dataDir, SECRET_FILENAME)) ? 'in the data directory' : 'missing'
}

/** Compares the rows with the counts of the manifest, and the files with the rows. */
async function compareWithManifest(
  from: string,
  copies: { database: string; files: string },
  manifest: BackupManifest,
): Promise<void> {
  const { engine, counts, attachments } = manifest
  if (engine === 'sqlite') {
    const copy = readSqliteBackupContents(join(copies.database, DATABASE_COPY_FILENAME))
    for (const [table, count] of Object.entries(counts)) {
      if (copy.counts[table] !== count) throw backupDamaged(`${table} does not have ${count} rows.`)
    }
  }
  if (attachments.kept !== 'here') return
  let missing = 0
  for await (const { workspace_id, id, size_bytes } of readAttachmentRows(from, engine)) {
    const key = fileKey(workspace_id, id)
    const stats = await stat(join(copies.files, FILES_DIRECTORY, key)).catch(() => undefined)
    if (stats?.size !== size_bytes) missing += 1
  }
  if (missing !== attachments.missing) throw backupDamaged(`${missing} files are missing.`)
}
