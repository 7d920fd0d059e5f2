import { Counter, Gauge, type Registry } from 'prom-client'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { conflict } from '#core/api-error.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import {
  ensureInstallationValue,
  installationValue,
  replaceInstallationValue,
} from '#db/installation/open-store.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { timestampOf } from '#lib/clock.ts'
import { type CronSchedule, nextCronTime } from '#lib/cron.ts'
import { HOUR_MS } from '#lib/durations.ts'
import type { BackupOutcome } from './run-backup.ts'

/** What is known of the scheduled backups of an installation. All times are timestamps. */
export interface BackupState {
  /** When the first one was due. */
  since?: string
  /** The latest time of the schedule for which a backup was enqueued. */
  slot?: string
  /** The backup that is being made, and until when its process counts as alive. */
  running?: { holder: string; started_at: string; until: string }
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

/**
 * Changes the state in a transaction, again if another process has changed it meanwhile. `change`
 * returns the new state, or undefined to leave it; what it writes is committed together.
 */
export async function updateBackupState<T>(
  storage: Storage,
  change: (tx: WriteTx, state: BackupState) => Promise<{ state?: BackupState; result: T }>,
): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const outcome = await storage
      .write(ANONYMOUS_ACTOR, async (tx) => {
        const was = await readValue(tx)
        const { state, result } = await change(tx, parseState(was))
        if (state) await replaceState(tx, was, JSON.stringify(state))
        return { result }
      })
      .catch((error: unknown) => {
        if (error instanceof StateChanged) return undefined
        throw error
      })
    if (outcome) return outcome.result
  }
  throw new Error('The state of the backups changes all the time.')
}

/** Thrown to roll back a change that is based on an old state. */
class StateChanged extends Error {}

async function replaceState(tx: WriteTx, was: string | undefined, value: string): Promise<void> {
  const row = { name: VALUE_NAME, value }
  const changed =
    was === undefined
      ? await tx.run(ensureInstallationValue, row)
      : await tx.run(replaceInstallationValue, { ...row, was })
  if (changed === 0) throw new StateChanged()
}

/** Who records, and about which place. */
interface BackupRecordDeps {
  storage: Storage
  operatorEmail: string | undefined
  /** Identifies the process and the attempt. */
  holder: string
  place: string
}

/** A process that has not renewed its lease for this long has died. */
const LEASE_TTL_MS = 3 * 60_000
const RENEW_INTERVAL_MS = 60_000
/** Between two emails about failures, for example of a network that comes and goes. */
const MIN_MAIL_INTERVAL_MS = 6 * HOUR_MS
const MAX_REASON_LENGTH = 500
const PROCESS_DIED = 'The process that made it was killed, or the machine went down.'

/**
 * Begins an attempt, so that no other process begins one. Throws 409 `backup_running` if one has. An
 * attempt whose process has died is recorded as failed.
 */
export async function beginBackup(
  deps: BackupRecordDeps,
  withSecret: boolean,
): Promise<{ lost: AbortSignal; end(): void }> {
  const { storage, holder } = deps
  await updateBackupState(storage, async (tx, state) => {
    const { running } = state
    if (running && running.until > tx.now) {
      throw conflict('backup_running', 'Another process makes a backup now.')
    }
    const failed = running ? await withFailure(tx, state, deps, PROCESS_DIED) : state
    tx.audit('backup.started', null, { with_secret: withSecret })
    const lease = { holder, started_at: tx.now, until: leaseEnd(tx) }
    return { state: { ...failed, running: lease }, result: undefined }
  })
  const lost = new AbortController()
  const renew = () =>
    updateBackupState(storage, async (tx, state) => {
      if (state.running?.holder !== holder) return { result: false }
      const running = { ...state.running, until: leaseEnd(tx) }
      return { state: { ...state, running }, result: true }
    })
  const timer = setInterval(() => {
    renew().then(
      (isOwn) => {
        if (!isOwn) lost.abort(new Error('Another process has taken over.'))
      },
      // The next renewal may succeed; until then the lease holds for two more.
      () => {},
    )
  }, RENEW_INTERVAL_MS)
  timer.unref()
  return { lost: lost.signal, end: () => clearInterval(timer) }
}

const leaseEnd = ({ nowMs }: WriteTx) => timestampOf(nowMs + LEASE_TTL_MS)

/**
 * Records a sound backup; if failures were reported by email, so is their end. The lease of a process
 * that has taken over meanwhile stays.
 */
export async function recordSuccess(
  deps: BackupRecordDeps,
  last_success: BackupSuccess,
): Promise<void> {
  await updateBackupState(deps.storage, async (tx, { failure, ...before }) => {
    if (failure?.is_mailed) {
      await enqueueOperatorEmail(tx, deps, { event: 'recovered', since: failure.since })
    }
    const state = endOwnLease(before, deps) ?? before
    return { state: { ...state, last_success }, result: undefined }
  })
}

/**
 * Records a failed attempt. Of the attempts since a success, one is reported by email. If another
 * process has taken over, it has recorded the failure already.
 */
export async function recordFailure(deps: BackupRecordDeps, reason: string): Promise<void> {
  await updateBackupState(deps.storage, async (tx, before) => {
    const state = endOwnLease(before, deps)
    return {
      ...(state && { state: await withFailure(tx, state, deps, reason) }),
      result: undefined,
    }
  })
}

/** Ends an attempt that was stopped with its process, which is no failure. */
export async function endInterruptedBackup(deps: BackupRecordDeps): Promise<void> {
  await updateBackupState(deps.storage, async (_, before) => {
    const state = endOwnLease(before, deps)
    return { ...(state && { state }), result: undefined }
  })
}

/** The state without the lease, or undefined if another process holds it or nobody. */
function endOwnLease(
  { running, ...state }: BackupState,
  { holder }: Pick<BackupRecordDeps, 'holder'>,
): BackupState | undefined {
  return running?.holder === holder ? state : undefined
}

async function withFailure(
  tx: WriteTx,
  state: BackupState,
  deps: BackupRecordDeps,
  text: string,
): Promise<BackupState> {
  const { failure, failure_mailed_at, last_success } = state
  const reason = text.slice(0, MAX_REASON_LENGTH)
  const since = failure?.since ?? tx.now
  const mailedMs = Date.parse(failure_mailed_at ?? '1970-01-01T00:00:00Z')
  const mails =
    deps.operatorEmail !== undefined &&
    !failure?.is_mailed &&
    tx.nowMs - mailedMs >= MIN_MAIL_INTERVAL_MS
  if (mails) {
    const last = last_success?.ended_at ?? ''
    await enqueueOperatorEmail(tx, deps, { event: 'failed', since, reason, last_success: last })
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
  { operatorEmail, place }: BackupRecordDeps,
  payload: Record<string, string>,
): Promise<void> {
  if (operatorEmail === undefined) return
  await enqueueJob(tx, { kind: 'operator_email', payload: { ...payload, place, at: tx.now } })
}

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
