import { ApiError } from '#core/api-error.ts'
import { JobError, type JobKind } from '#core/job.ts'
import type { EmailTemplate } from '#core/mailer.ts'
import type { Storage } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import type { ScheduledJob } from '#jobs/scheduler.ts'
import { timestampOf } from '#lib/clock.ts'
import { type CronSchedule, previousCronTime } from '#lib/cron.ts'
import { type BackupState, loadBackupState, updateBackupState } from './backup-records.ts'
import { runScheduledBackup, type ScheduledBackupDeps } from './run-backup.ts'

/** The email to the operators about backups that fail, and about the first that succeeds again. */
export const operatorEmailTemplate =
  (to: string) =>
  (baseUrl: string): EmailTemplate => ({
    kind: 'operator_email',
    maxRunning: 1,
    async compose(_, { payload }) {
      const { event, since = '', at = '', place = '', reason = '', last_success: last } = payload
      const failed = event === 'failed'
      const paragraphs = failed
        ? [
            `The scheduled backup of Docket at ${baseUrl} has failed.`,
            `Reason: ${reason}`,
            `When: ${at}. Target: ${place}.`,
            last
              ? `The last successful backup ended at ${last}.`
              : 'There is no successful backup yet.',
            'Docket tries again within the hour. Run "docket backup" on the server to try at once. You get another email when it works again.',
          ]
        : [
            `The scheduled backup of Docket at ${baseUrl} works again.`,
            `A backup was made and checked at ${at}, in ${place}. Backups had failed since ${since}.`,
          ]
      return {
        to,
        subject: failed ? 'Docket: the backup has failed' : 'Docket: the backup works again',
        text: paragraphs.join('\n\n'),
      }
    },
  })

const MINUTE_MS = 60_000
/** Between failed attempts; all later ones have the last delay. */
const RETRY_DELAYS_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS)
const MAX_RETRY_DELAY_MS = 60 * MINUTE_MS
/** Longer than any schedule should leave an installation without a backup. */
const MAX_AGE_MS = 24 * 60 * MINUTE_MS
const CHECK_INTERVAL_MS = 20_000

/** The kind of job that makes a scheduled backup. */
export const createBackupJob = (deps: ScheduledBackupDeps): JobKind => ({
  name: 'backup',
  maxRunning: 1,
  maxAgeMs: MAX_AGE_MS,
  retryDelayMs: (attempts) => RETRY_DELAYS_MS[attempts - 1] ?? MAX_RETRY_DELAY_MS,
  async run({ signal, setProgress }) {
    try {
      await runScheduledBackup(deps, signal, setProgress)
      return 'done'
    } catch (error) {
      // A backup holds the job that was making it. In a copy, the schedule enqueues one of its own.
      if (error instanceof ApiError && error.code === 'not_resumed') return 'done'
      if (error instanceof ApiError) throw new JobError(error.message)
      throw error
    }
  },
})

/**
 * The periodic job that enqueues a backup when its time has come. `isCopy` says whether this may be a
 * copy of another installation, whose backups it must neither mix with its own nor delete.
 */
export const createBackupScheduler = (
  storage: Storage,
  schedule: CronSchedule,
  isCopy: () => Promise<boolean>,
): ScheduledJob => ({
  name: 'scheduled backups',
  intervalMs: CHECK_INTERVAL_MS,
  async run() {
    if (!(await isCopy())) await enqueueDueBackup(storage, schedule)
    return false
  },
})

/**
 * Enqueues a backup if one is due: at a time of the schedule, once for all times that were missed, and
 * when there has been none yet, which shows at once whether the settings work.
 */
export async function enqueueDueBackup(storage: Storage, schedule: CronSchedule): Promise<void> {
  const now = storage.clock.now()
  const slot = previousCronTime(schedule, now)
  if (slot === undefined || !isDue(await loadBackupState(storage), slot, now)) return
  await updateBackupState(storage, async (tx, state) => {
    if (!isDue(state, slot, now)) return { result: undefined }
    await enqueueJob(tx, { kind: 'backup', key: 'scheduled', payload: { slot: timestampOf(slot) } })
    const since = state.since ?? tx.now
    return { state: { ...state, since, slot: timestampOf(slot) }, result: undefined }
  })
}

/** A slot in the future is of a clock that was set back since. */
function isDue({ slot }: BackupState, latest: number, now: number): boolean {
  const enqueued = slot === undefined ? Number.NEGATIVE_INFINITY : Date.parse(slot)
  return latest > enqueued || enqueued > now
}
