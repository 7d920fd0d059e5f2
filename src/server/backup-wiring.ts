import type { Registry } from 'prom-client'
import { createBackupJob, createBackupScheduler } from '#backup/scheduled/backup-job.ts'
import { createBackupMetrics } from '#backup/scheduled/backup-metrics.ts'
import type { ScheduledBackupDeps } from '#backup/scheduled/run-backup.ts'
import type { Config } from '#config/config.ts'
import type { JobKind } from '#core/job.ts'
import type { Storage } from '#core/transaction.ts'
import type { ScheduledJob } from '#jobs/scheduler.ts'
import { openInstallationId } from '#webhooks/dispatch/installation-id.ts'

/** The job that makes backups, and the periodic one that enqueues it. */
interface BackupJobs {
  kinds: JobKind[]
  periodic: ScheduledJob[]
}

const NOT_BEFORE_RESUME =
  'This data was restored, copied or paused. No scheduled backups are made until docket webhook resume.'

/** Creates the jobs and metrics of scheduled backups. Without a target there are none. */
export function createBackupJobs(
  { backup: settings, backupPassphrase: passphrase, operatorEmail, ...config }: Config,
  storage: Storage,
  secret: string,
  log: ScheduledBackupDeps['log'],
  registry: Registry,
): BackupJobs {
  if (!settings) return { kinds: [], periodic: [] }
  const { dataDir, databaseUrl, s3 } = config
  const onOutcome = createBackupMetrics(registry, storage, settings.schedule)
  const location = { dataDir, databaseUrl, bucket: s3 !== undefined }
  const deps = { storage, location, settings, secret, passphrase, operatorEmail, log, onOutcome }
  const installation = openInstallationId(storage, dataDir)
  let hasWarned = false
  const isCopy = async () => {
    const mismatch = await installation.inspect()
    if (mismatch === undefined || mismatch === 'new') return false
    if (!hasWarned) log.warn({ mismatch }, NOT_BEFORE_RESUME)
    hasWarned = true
    return true
  }
  return {
    kinds: [createBackupJob(deps)],
    periodic: settings.schedule ? [createBackupScheduler(storage, settings.schedule, isCopy)] : [],
  }
}
