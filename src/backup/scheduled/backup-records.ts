import { conflict } from '#core/api-error.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/enqueue-job.ts'
import { timestampOf } from '#lib/clock.ts'
import { HOUR_MS } from '#lib/durations.ts'
import { type BackupState, type BackupSuccess, updateBackupState } from './backup-state.ts'

/** Who records, and about which place. */
export interface BackupRecordDeps {
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
