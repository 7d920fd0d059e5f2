import { Counter, Gauge, type Registry } from 'prom-client'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { EmailTemplate } from '#core/mailer.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import {
  ensureInstallationValue,
  installationValue,
  replaceInstallationValue,
} from '#db/installation/open-store.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { type CronSchedule, nextCronTime } from '#lib/cron.ts'
import { HOUR_MS } from '#lib/durations.ts'
import { shareLoad } from '#lib/maybe-promise.ts'

export type BackupOutcome = 'done' | 'failed'

/** What is known of the scheduled backups of an installation. All times are timestamps. */
export interface BackupState {
  /** When the first one was due. */
  since?: string
  /** The latest time of the schedule for which a backup was enqueued. */
  slot?: string
  last_success?: BackupSuccess
  /** The attempts since the last success that have failed. */
  failure?: { since: string; at: string; attempts: number; reason: string; is_mailed: boolean }
  /** When an email about a failure was last sent. */
  failure_mailed_at?: string
}

/** A backup that was made and found to be sound. */
export interface BackupSuccess {
  name: string
  started_at: string
  ended_at: string
  bytes: number
  /** Attachments that were missing or damaged in the installation. */
  missing: number
}

/** In the table `installation`. */
const VALUE_NAME = 'backups'
/** Values for restored data: what it says of backups is about those of the original. */
export const NO_BACKUPS_VALUES = { [VALUE_NAME]: '{}' }
const MAX_TRIES = 20

/** Reads the state; empty if there never was a scheduled backup. */
export const loadBackupState = (storage: Storage): Promise<BackupState> =>
  storage.read(ANONYMOUS_ACTOR, async (tx) => parseState(await readValue(tx)))

const readValue = async (tx: ReadTx) =>
  (await tx.one(installationValue, { name: VALUE_NAME }))?.value

function parseState(text: string | undefined): BackupState {
  return text === undefined ? {} : (JSON.parse(text) as BackupState)
}

/** Runs a transaction of the installation. */
export type WriteBackupState = <T>(work: (tx: WriteTx) => Promise<T>) => Promise<T>

/**
 * Changes the state in a transaction, again if another process has changed it meanwhile. `change`
 * returns the new state, or undefined to leave it; what it writes is committed together.
 */
export async function updateBackupState(
  write: WriteBackupState,
  change: (tx: WriteTx, state: BackupState) => Promise<BackupState | undefined>,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const isDone = await write(async (tx) => {
      await changeBackupState(tx, change)
      return true
    }).catch((error: unknown) => {
      if (error instanceof StateChanged) return false
      throw error
    })
    if (isDone) return
  }
  throw new Error('The state of the backups changes all the time.')
}

/** Changes the state in this transaction; throws if another process has changed it meanwhile. */
async function changeBackupState(
  tx: WriteTx,
  change: (tx: WriteTx, state: BackupState) => Promise<BackupState | undefined>,
): Promise<void> {
  const was = await readValue(tx)
  const state = await change(tx, parseState(was))
  if (!state) return
  const row = { name: VALUE_NAME, value: JSON.stringify(state) }
  const changed =
    was === undefined
      ? await tx.run(ensureInstallationValue, row)
      : await tx.run(replaceInstallationValue, { ...row, was })
  if (changed === 0) throw new StateChanged()
}

/** Thrown to roll back a change that is based on an old state. */
class StateChanged extends Error {}

/** Who gets emails about failures, and the place that they name. */
export interface BackupMailing {
  operatorEmail: string | undefined
  place: string
}

/** Between two emails about failures, for example of a network that comes and goes. */
const MIN_MAIL_INTERVAL_MS = 6 * HOUR_MS
const MAX_REASON_LENGTH = 500

/** Records a sound backup; if failures were reported by email, so is their end. */
export const recordSuccess = (
  write: WriteBackupState,
  mailing: BackupMailing,
  last_success: BackupSuccess,
): Promise<void> =>
  updateBackupState(write, async (tx, { failure, ...state }) => {
    if (failure?.is_mailed) {
      await enqueueOperatorEmail(tx, mailing, { event: 'recovered', since: failure.since })
    }
    return { ...state, last_success }
  })

/** Records a failed attempt. Of the attempts since a success, one is reported by email. */
export const recordFailure = (
  write: WriteBackupState,
  mailing: BackupMailing,
  reason: string,
): Promise<void> => updateBackupState(write, (tx, state) => withFailure(tx, state, mailing, reason))

/** The same in the transaction that ends a job. */
export const recordLostBackup = (tx: WriteTx, mailing: BackupMailing): Promise<void> =>
  changeBackupState(tx, (_, state) => withFailure(tx, state, mailing, PROCESS_DIED))

const PROCESS_DIED = 'The processes that made it were killed, or the machine went down.'

async function withFailure(
  tx: WriteTx,
  state: BackupState,
  mailing: BackupMailing,
  text: string,
): Promise<BackupState> {
  const { failure, failure_mailed_at, last_success } = state
  const reason = text.slice(0, MAX_REASON_LENGTH)
  const since = failure?.since ?? tx.now
  const mailedMs = Date.parse(failure_mailed_at ?? '1970-01-01T00:00:00Z')
  const mails =
    mailing.operatorEmail !== undefined &&
    !failure?.is_mailed &&
    tx.nowMs - mailedMs >= MIN_MAIL_INTERVAL_MS
  if (mails) {
    const last = last_success?.ended_at ?? ''
    await enqueueOperatorEmail(tx, mailing, { event: 'failed', since, reason, last_success: last })
  }
  const attempts = (failure?.attempts ?? 0) + 1
  return {
    ...state,
    failure: { since, at: tx.now, attempts, reason, is_mailed: failure?.is_mailed || mails },
    ...(mails && { failure_mailed_at: tx.now }),
  }
}

async function enqueueOperatorEmail(
  tx: WriteTx,
  { operatorEmail, place }: BackupMailing,
  payload: Record<string, string>,
): Promise<void> {
  if (operatorEmail === undefined) return
  await enqueueJob(tx, { kind: 'operator_email', payload: { ...payload, place, at: tx.now } })
}

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
            'Docket tries again within the hour. Run "docket backup" on the server to see whether the target works. You get another email when the schedule has succeeded.',
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
  const loadOnce = shareLoad(() => loadBackupState(storage))
  const now = () => storage.clock.now()
  const gauges: [name: string, help: string, read: (state: BackupState) => number | undefined][] = [
    [
      'last_success_timestamp_seconds',
      'When the last scheduled backup was made and found to be sound; NaN if there is none',
      ({ last_success: last }) => last && Date.parse(last.ended_at) / 1000,
    ],
    [
      'age_seconds',
      'How old the data in the last sound backup is; NaN if there is none',
      ({ last_success: last }) => last && Math.max(0, now() - Date.parse(last.started_at)) / 1000,
    ],
    [
      'size_bytes',
      'The size of the last sound backup; NaN if there is none',
      ({ last_success: last }) => last?.bytes,
    ],
    [
      'duration_seconds',
      'How long the last sound backup took, with its check; NaN if there is none',
      ({ last_success: last }) =>
        last && (Date.parse(last.ended_at) - Date.parse(last.started_at)) / 1000,
    ],
    [
      'failed_attempts',
      'Attempts at a backup that have failed since the last sound one',
      ({ failure }) => failure?.attempts ?? 0,
    ],
    [
      'overdue_seconds',
      'For how long a backup should have been there by the schedule; 0 without a schedule',
      (state) => overdueMs(state, schedule, now(), startedMs) / 1000,
    ],
  ]
  for (const [name, help, read] of gauges) {
    new Gauge({
      name: `docket_backup_${name}`,
      help,
      registers,
      // Each of several processes on one port reports the state of the whole installation.
      aggregator: 'max',
      async collect() {
        const state = await loadOnce()
        this.set((state && read(state)) ?? Number.NaN)
      },
    })
  }
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
