import type { BackupPlace, BackupTarget } from './backup-target.ts'
import { createBucketTarget } from './bucket-target.ts'
import { createDirectoryTarget } from './directory-target.ts'

/** Opens the place of backups. It touches nothing before the first use. */
export const openBackupTarget = (place: BackupPlace, dataDir: string): BackupTarget =>
  place.kind === 'directory'
    ? createDirectoryTarget(place.path)
    : createBucketTarget(place.s3, place.prefix, dataDir)
