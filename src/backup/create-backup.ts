import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { conflict } from '#core/api-error.ts'
import type { Storage } from '#core/transaction.ts'
import { makeDirectory } from '#db/installation/make-directory.ts'
import { type Clock, timestampOf } from '#lib/clock.ts'
import type { BackupManifest } from './backup-manifest.ts'
import { fsyncDirectory } from './hashed-files.ts'
import { withFileDeletionPaused } from './pause-file-deletion.ts'
import { type BackupSecret, type InstallationLocation, writeBackup } from './write-backup.ts'

/** What to save, and where to. */
export interface BackupOptions {
  /** A path that does not exist yet, or a directory in which the backup is named by the time. */
  to: string
  /** The secret, if the backup should contain it. */
  secret: BackupSecret | undefined
  onProgress(what: string): void
}

/**
 * Makes a backup while the server runs. The directory gets its name once it is complete and synced;
 * a killed backup leaves `….part-…`.
 */
export async function createBackup(
  location: InstallationLocation,
  storage: Storage,
  { to, secret, onProgress }: BackupOptions,
): Promise<BackupManifest & { backup: string }> {
  const backup = await choosePath(to, storage.clock)
  makeDirectory(dirname(backup))
  const draft = await mkdtemp(`${backup}.part-`)
  const madeAt = timestampOf(storage.clock.now())
  try {
    const content = { location, madeAt, kind: 'manual', secret, linksFiles: false } as const
    const work = () => writeBackup(draft, content, onProgress)
    const manifest = await (location.bucket ? work() : withFileDeletionPaused(storage, work))
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
  return join(to, `docket-${fileTimeOf(clock.now())}`)
}

/** A time as part of a file name, in UTC. */
export const fileTimeOf = (ms: number): string =>
  timestampOf(ms).replace(/\.\d+/, '').replaceAll(':', '-')
