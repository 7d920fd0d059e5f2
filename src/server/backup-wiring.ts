import type { Registry } from 'prom-client'
import { createBackupJob, createBackupScheduler } from '#backup/scheduled/backup-job.ts'
import { createBackupMetrics } from '#backup/scheduled/backup-metrics.ts'
import type { ScheduledBackupDeps } from '#backup/scheduled/run-backup.ts'
import type { Config } from '#config/config.ts'
import type { JobKind } from '#core/job.ts'
import type { Storage } from '#core/transaction.ts'
import { deriveSecretProof } from '#db/installation/open-store.ts'
import type { ScheduledJob } from '#jobs/scheduler.ts'

/** The job that makes backups, and the periodic one that enqueues it. */
interface BackupJobs {
  kinds: JobKind[]
  periodic: ScheduledJob[]
}

/** Creates the jobs and metrics of scheduled backups. Without a target there are none. */
export function createBackupJobs(
  { backup: settings, backupPassphrase: passphrase, operatorEmail, ...config }: Config,
  storage: Storage,
  secret: string,
  log: ScheduledBackupDeps['log'],
  registry: Registry,
  isCopy: () => Promise<boolean>,
): BackupJobs {
  if (!settings) return { kinds: [], periodic: [] }
  const { dataDir, databaseUrl, s3 } = config
  const onOutcome = createBackupMetrics(registry, storage, settings.schedule)
  const location = { dataDir, databaseUrl, bucket: s3 !== undefined }
  const deps = {
    storage,
    location,
    settings,
    secret,
    secretProof: deriveSecretProof(secret),
    passphrase,
    operatorEmail,
    isCopy,
    log,
    onOutcome,
  }
  return {
    kinds: [createBackupJob(deps)],
    periodic: settings.schedule ? [createBackupScheduler(storage, settings.schedule, isCopy)] : [],
  }
}
