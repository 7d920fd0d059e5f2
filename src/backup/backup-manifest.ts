import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseEngine } from '#core/transaction.ts'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import type { BackupContents } from '#db/sqlite/backup.ts'
import { backupDamaged } from './backup-damaged.ts'

/** The content of `manifest.json`. */
export interface BackupManifest extends BackupContents {
  /** The version of the file layout. No other one can be restored. */
  format: 1
  /** The version of the Docket that made it. */
  docket: string
  made_at: string
  engine: DatabaseEngine
  attachments: {
    kept: 'here' | 'in the bucket'
    /** The number of files in the backup. */
    files: number
    bytes: number
    /** Rows whose files were missing or damaged when the backup was made. */
    missing: number
    /** The keys of some of these files. */
    examples: string[]
  }
  /** `sealed`: encrypted with a passphrase. */
  secret: 'here' | 'sealed' | 'apart'
  /** Whether it was made by a schedule, which deletes its old backups. */
  kind: 'scheduled' | 'manual'
  /** The length of all other files together. */
  bytes: number
  /** The number of lines in `SHA256SUMS`, without that of the manifest. */
  files: number
}

export const BACKUP_MANIFEST_FILENAME = 'manifest.json'
export const DATABASE_COPY_FILENAME = 'docket.db'
export const SECRET_FILENAME = 'secret'
export const SEALED_SECRET_FILENAME = 'secret.sealed'
/** The result of reading the whole backup again after it was made. Not part of the checksums. */
export const CHECK_FILENAME = 'check.json'
/** Holds one JSON Lines file for each table of a PostgreSQL backup. */
export const TABLES_DIRECTORY = 'tables'
export const FILES_DIRECTORY = 'files'

/** The version of the running Docket. */
export function docketVersion(): string {
  return BUILD_INFO.version
}

/** Reads the manifest of a backup. Throws 409 `backup_damaged` if there is none. */
export async function readBackupManifest(directory: string): Promise<BackupManifest> {
  const text = await readFile(join(directory, BACKUP_MANIFEST_FILENAME), 'utf8').catch(() => {
    throw backupDamaged(
      `${directory} has no ${BACKUP_MANIFEST_FILENAME}: it is no backup, or not a whole one.`,
    )
  })
  const manifest = parseBackupManifest(text)
  if (manifest) return manifest
  throw backupDamaged(`${BACKUP_MANIFEST_FILENAME} is damaged, or was written by a newer release.`)
}

/** Parses a manifest. Undefined if it is damaged or of a newer release. */
export function parseBackupManifest(text: string): BackupManifest | undefined {
  try {
    const manifest = JSON.parse(text) as BackupManifest
    return manifest.format === 1 && typeof manifest.counts === 'object' ? manifest : undefined
  } catch {
    return undefined
  }
}
