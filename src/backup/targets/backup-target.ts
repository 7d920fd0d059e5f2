import type { S3Settings } from '#files/s3.ts'
import { createClock, timestampOf } from '#lib/clock.ts'
import {
  BACKUP_MANIFEST_FILENAME,
  type BackupManifest,
  CHECK_FILENAME,
  parseBackupManifest,
} from '../backup-manifest.ts'
import { verifyBackup } from '../restore-backup.ts'
import type { BackupContent } from '../write-backup.ts'

/** Where backups are kept: a directory, or a bucket under a prefix that ends with a slash. */
export type BackupPlace =
  | { kind: 'directory'; path: string }
  | { kind: 'bucket'; s3: S3Settings; prefix: string }

/** The result of reading a backup to its last byte, as `restore --check` does. */
export interface BackupCheck {
  checked_at: string
  sound: boolean
  /** Why it is not sound. */
  reason?: string
}

/** A complete backup. */
export interface StoredBackup {
  name: string
  manifest: BackupManifest
  /** Undefined if it was never checked, such as one that `docket backup --to` has made. */
  check: BackupCheck | undefined
}

/** A place that holds backups, and what can be done there. */
export interface BackupTarget {
  /** The place as operators name it. */
  description: string
  /** Lists complete backups, oldest first. */
  list(): Promise<StoredBackup[]>
  /**
   * Makes a backup, checks it and stores the result. If it is damaged, or the process dies, nothing is
   * left that is listed as a backup.
   */
  store(
    name: string,
    content: BackupContent,
    onProgress: (what: string) => void,
  ): Promise<StoredBackup>
  remove(name: string): Promise<void>
  /** Removes what processes that died have left of the backups whose names `isOwn` accepts. */
  clearLeftovers(isOwn: (name: string) => boolean): Promise<void>
  /** Provides a backup as a local directory, below `workDirectory` if it must be downloaded. */
  fetch(
    name: string,
    workDirectory: string,
    onProgress: (what: string) => void,
  ): Promise<{ path: string; release(): Promise<void> }>
}

/** Reads a new backup to its last byte. Any error makes it unsound: it could not be restored either. */
export async function checkStoredBackup(directory: string): Promise<BackupCheck> {
  try {
    await verifyBackup(directory, () => {})
    return soundCheck()
  } catch (error) {
    return unsoundCheck(error)
  }
}

const checkTime = () => timestampOf(createClock().now())

export const soundCheck = (): BackupCheck => ({ checked_at: checkTime(), sound: true })

export const unsoundCheck = (error: unknown): BackupCheck => ({
  checked_at: checkTime(),
  sound: false,
  reason: error instanceof Error ? error.message : String(error),
})

/** Throws if a backup that was just made is damaged. */
export function assertSound({ sound, reason }: BackupCheck): void {
  if (!sound) throw new Error(`It is damaged: ${reason}`)
}

/** Reads what a target tells of a backup. Undefined if it has no manifest, or a damaged one. */
export async function readStoredBackup(
  name: string,
  readText: (path: string) => Promise<string | undefined>,
): Promise<StoredBackup | undefined> {
  const text = await readText(BACKUP_MANIFEST_FILENAME)
  const manifest = text === undefined ? undefined : parseBackupManifest(text)
  if (!manifest) return undefined
  const check = await readText(CHECK_FILENAME)
  return { name, manifest, check: check === undefined ? check : parseBackupCheck(check) }
}

/** Parses the result of a check. Undefined if it is damaged. */
function parseBackupCheck(text: string): BackupCheck | undefined {
  try {
    const check = JSON.parse(text) as BackupCheck
    return typeof check.sound === 'boolean' ? check : undefined
  } catch {
    return undefined
  }
}

/** Sorts backups by their age, oldest first. */
export const sortByAge = (backups: readonly StoredBackup[]): StoredBackup[] =>
  backups.toSorted((one, other) => (one.manifest.made_at < other.manifest.made_at ? -1 : 1))
