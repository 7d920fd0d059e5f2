import { Counter, Gauge, type Registry } from 'prom-client'
import type { Storage } from '#core/transaction.ts'
import { type CronSchedule, nextCronTime } from '#lib/cron.ts'
import { type BackupState, loadBackupState } from './backup-state.ts'
import type { BackupOutcome } from './run-backup.ts'

/**
 * Registers the metrics of scheduled backups, and returns what counts an attempt. The gauges are
 * those of the installation, whichever process makes the backups.
 */
export function createBackupMetrics(
  registry: Registry,
  storage: Storage,
  schedule: CronSchedule | undefined,
): (outcome: BackupOutcome) => void {
  const registers = [registry]
  const startedMs = storage.clock.now()
  const attempts = new Counter({
    name: 'docket_backups_total',
    help: 'Scheduled backups that this process has attempted, by outcome: done, failed',
    labelNames: ['outcome'],
    registers,
  })
  let pendingState: Promise<BackupState | undefined> | undefined
  /** The gauges of one scrape share one query. Without the database their values are unknown. */
  const loadOnce = () => {
    pendingState ??= loadBackupState(storage)
      .catch(() => undefined)
      .finally(() => {
        pendingState = undefined
      })
    return pendingState
  }
  const registerGauge = (name: string, help: string, read: (state: BackupState) => number) =>
    new Gauge({
      name,
      help,
      registers,
      // Each of several processes on one port reports the state of the whole installation.
      aggregator: 'max',
      async collect() {
        const state = await loadOnce()
        this.set(state ? read(state) : Number.NaN)
      },
    })
  const secondsSince = (ms: number) => Math.max(0, storage.clock.now() - ms) / 1000
  registerGauge(
    'docket_backup_last_success_timestamp_seconds',
    'When the last scheduled backup was made and found to be sound; NaN if there is none',
    ({ last_success: last }) => (last ? Date.parse(last.ended_at) / 1000 : Number.NaN),
  )
  registerGauge(
    'docket_backup_age_seconds',
    'How old the data in the last sound backup is; NaN if there is none',
    ({ last_success: last }) => (last ? secondsSince(Date.parse(last.started_at)) : Number.NaN),
  )
  registerGauge(
    'docket_backup_size_bytes',
    'The size of the last sound backup; NaN if there is none',
    ({ last_success: last }) => last?.bytes ?? Number.NaN,
  )
  registerGauge(
    'docket_backup_duration_seconds',
    'How long the last sound backup took, with its check; NaN if there is none',
    ({ last_success: last }) =>
      last ? (Date.parse(last.ended_at) - Date.parse(last.started_at)) / 1000 : Number.NaN,
  )
  registerGauge(
    'docket_backup_failed_attempts',
    'Attempts at a backup that have failed since the last sound one',
    ({ failure }) => failure?.attempts ?? 0,
  )
  registerGauge(
    'docket_backup_overdue_seconds',
    'For how long a backup should have been there by the schedule; 0 without a schedule',
    (state) => overdueMs(state, schedule, storage.clock.now(), startedMs) / 1000,
  )
  return (outcome) => attempts.inc({ outcome })
}

/** For how long a backup has been due. Without any, since the first one was due. */
export function overdueMs(
  { since, last_success: last }: BackupState,
  schedule: CronSchedule | undefined,
  now: number,
  startedMs: number,
): number {
  if (!schedule) return 0
  const dueMs = last
    ? nextCronTime(schedule, Date.parse(last.started_at))
    : since === undefined
      ? startedMs
      : Date.parse(since)
  return dueMs === undefined ? 0 : Math.max(0, now - dueMs)
}
