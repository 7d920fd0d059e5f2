import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { type JobContext, JobError, type JobKind, JobLeaseLost } from '#core/job.ts'
import type { Storage } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import type { ScheduledJob } from '#jobs/scheduler.ts'
import { timestampOf } from '#lib/clock.ts'
import { type CronSchedule, previousCronTime } from '#lib/cron.ts'
import { DAY_MS } from '#lib/durations.ts'
import { type BackupContent, fileTimeOf, type InstallationLocation } from '../create-backup.ts'
import { withFileDeletionPaused } from '../pause-file-deletion.ts'
import { sealSecret } from '../restore-backup.ts'
import {
  type BackupPlace,
  type BackupTarget,
  openBackupTarget,
  type StoredBackup,
} from '../targets/backup-target.ts'
import {
  type BackupMailing,
  type BackupOutcome,
  type BackupState,
  type BackupSuccess,
  loadBackupState,
  recordFailure,
  recordLostBackup,
  recordSuccess,
  updateBackupState,
  type WriteBackupState,
} from './backup-records.ts'

/** A backup to make. */
export interface BackupTask {
  place: BackupPlace
  name: string
  content: BackupContent
}

/** What the process that makes a backup reports. */
export type BackupMessage = { progress: string } | { stored: StoredBackup } | { error: string }

/** Makes a backup. Rejects if there is none afterwards; stops when `signal` is aborted. */
export type RunBackupTask = (
  task: BackupTask,
  signal: AbortSignal,
  onProgress: (what: string) => void,
) => Promise<StoredBackup>

const ENTRY = fileURLToPath(new URL('./backup-process-main.ts', import.meta.url))

/**
 * Makes a backup in a process of its own with a low priority, so that neither hashing nor the check of
 * the copy holds up requests, and it can be killed at any point.
 */
export const runBackupProcess: RunBackupTask = (task, signal, onProgress) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const child = fork(ENTRY, {
      execArgv: ['--max-semi-space-size=4'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const kill = () => child.kill('SIGKILL')
    signal.addEventListener('abort', kill, { once: true })
    child.on('message', (message: BackupMessage) => {
      if ('progress' in message) onProgress(message.progress)
      else if ('stored' in message) resolve(message.stored)
      else reject(new Error(message.error))
    })
    child.on('error', reject)
    child.on('exit', (code, killedBy) => {
      signal.removeEventListener('abort', kill)
      // Without effect if the result has arrived.
      reject(
        signal.aborted
          ? signal.reason
          : new Error(`The process that makes the backup has ended (${killedBy ?? code}).`),
      )
    })
    child.send(task)
  })

/** 1970-01-01 was a Thursday, and ISO weeks begin on Monday. */
const DAYS_TO_MONDAY = 3

/** The name of the period that a time belongs to, in UTC. */
const PERIODS = {
  h: (ms: number) => timestampOf(ms).slice(0, 13),
  d: (ms: number) => timestampOf(ms).slice(0, 10),
  w: (ms: number) => String(Math.floor((ms / DAY_MS + DAYS_TO_MONDAY) / 7)),
  m: (ms: number) => timestampOf(ms).slice(0, 7),
  y: (ms: number) => timestampOf(ms).slice(0, 4),
} as const

type RetentionUnit = keyof typeof PERIODS

/** For how many hours, days, weeks, months and years to keep the newest backup of each. */
type RetentionRules = ReadonlyMap<RetentionUnit, number>

const RULE = /^([1-9]\d{0,3})([hdwmy])$/

/** Parses rules such as `7d 4w 12m`; `all` keeps everything, which is no rule. Undefined if invalid. */
export function parseRetention(text: string): RetentionRules | undefined {
  if (text.trim() === 'all') return new Map()
  const rules = new Map<RetentionUnit, number>()
  for (const word of text.trim().split(/\s+/)) {
    const [, count, unit] = RULE.exec(word) ?? []
    if (count === undefined || !isUnit(unit) || rules.has(unit)) return undefined
    rules.set(unit, Number(count))
  }
  return rules
}

const isUnit = (text = ''): text is RetentionUnit => Object.hasOwn(PERIODS, text)

/** What the retention needs to know of a backup. */
export interface RetainedBackup {
  name: string
  /** In milliseconds since 1970. */
  madeAt: number
}

/**
 * Selects the backups to delete. Periods without a backup do not count, so that a server that was
 * off for a month deletes nothing of the month before. The newest one always stays.
 */
export function selectExpiredBackups<B extends RetainedBackup>(
  backups: readonly B[],
  rules: RetentionRules,
): B[] {
  const newestFirst = backups.toSorted((one, other) => other.madeAt - one.madeAt)
  if (rules.size === 0) return []
  const kept = new Set(newestFirst.slice(0, 1))
  for (const [unit, count] of rules) {
    const periods = new Set<string>()
    for (const backup of newestFirst) {
      const period = PERIODS[unit](backup.madeAt)
      if (periods.has(period)) continue
      if (periods.size === count) break
      periods.add(period)
      kept.add(backup)
    }
  }
  return newestFirst.filter((one) => !kept.has(one))
}

/** Where, when and for how long backups are made. */
export interface BackupPlan {
  place: BackupPlace
  /** Undefined: only `docket backup` makes them. */
  schedule: CronSchedule | undefined
  keep: RetentionRules
}

/** What a scheduled backup needs. */
export interface ScheduledBackupDeps {
  storage: Storage
  location: InstallationLocation
  settings: BackupPlan
  /** The secret of the installation, which a backup holds only with a passphrase. */
  secret: string
  /** Tells its backups from those of another installation, also when the secret is lost. */
  secretProof: string
  passphrase: string | undefined
  /** Who gets an email about failures. */
  operatorEmail: string | undefined
  /** Whether this may be a copy of another installation, whose backups it would replace and delete. */
  isCopy(): Promise<boolean>
  log: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>
  /** Makes the backup itself; in a process of its own by default. */
  runTask?: RunBackupTask
  /** Receives how each attempt ended. */
  onOutcome?: (outcome: BackupOutcome) => void
}

/** The names of the backups that the schedule of one installation makes. */
export function createBackupNames(secretProof: string) {
  // Two installations that share a place must not delete each other's backups.
  const tag = createHash('sha256').update(secretProof).digest('hex').slice(0, 8)
  const pattern = new RegExp(`^docket-scheduled-\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\dZ-${tag}$`)
  return {
    nameAt: (ms: number) => `docket-scheduled-${fileTimeOf(ms)}-${tag}`,
    isOwn: (name: string) => pattern.test(name),
  }
}

const MINUTE_MS = 60_000
/** Between failed attempts; all later ones have the last delay. */
const RETRY_DELAYS_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS)
const MAX_RETRY_DELAY_MS = 60 * MINUTE_MS
const CHECK_INTERVAL_MS = 20_000

/**
 * The kind of job that makes a scheduled backup, checks it, and deletes those that are no longer kept.
 * The queue runs one at a time, in one of all processes. A copy of an installation makes none: the job
 * that was making the backup is in the backup.
 */
export const createBackupJob = (deps: ScheduledBackupDeps): JobKind => ({
  name: 'backup',
  maxRunning: 1,
  // Longer than any schedule should leave an installation without a backup.
  maxAgeMs: DAY_MS,
  retryDelayMs: (attempts) => RETRY_DELAYS_MS[attempts - 1] ?? MAX_RETRY_DELAY_MS,
  async run(context) {
    if (!(await deps.isCopy())) await runScheduledBackup(deps, context)
    return 'done'
  },
  async onEnd(tx, _, end) {
    if (end === 'lost') await recordLostBackup(tx, mailingOf(deps))
  },
})

const mailingOf = ({ operatorEmail, settings, location }: ScheduledBackupDeps): BackupMailing => ({
  operatorEmail,
  place: openBackupTarget(settings.place, location.dataDir).description,
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
  const latest = previousCronTime(schedule, now)
  if (latest === undefined || !isDue(await loadBackupState(storage), latest, now)) return
  const slot = timestampOf(latest)
  const write: WriteBackupState = (work) => storage.write(ANONYMOUS_ACTOR, work)
  await updateBackupState(write, async (tx, state) => {
    if (!isDue(state, latest, now)) return undefined
    await enqueueJob(tx, { kind: 'backup', key: 'scheduled', payload: { slot } })
    return { ...state, since: state.since ?? tx.now, slot }
  })
}

/** A slot in the future is of a clock that was set back since. */
function isDue({ slot }: BackupState, latest: number, now: number): boolean {
  const enqueued = slot === undefined ? Number.NEGATIVE_INFINITY : Date.parse(slot)
  return latest > enqueued || enqueued > now
}

/** Makes a backup where the settings say. The outcome is recorded, by the job that still has its lease. */
async function runScheduledBackup(
  deps: ScheduledBackupDeps,
  { signal, setProgress, ...job }: Pick<JobContext, 'signal' | 'setProgress' | 'write'>,
): Promise<void> {
  const { storage, settings, location, log, onOutcome } = deps
  const target = openBackupTarget(settings.place, location.dataDir)
  const names = createBackupNames(deps.secretProof)
  const mailing = mailingOf(deps)
  const write: WriteBackupState = (work) => job.write(work, ANONYMOUS_ACTOR)
  await write(async (tx) => {
    tx.audit('backup.started', null, { with_secret: deps.passphrase !== undefined })
  })
  const started_at = timestampOf(storage.clock.now())
  try {
    await target.clearLeftovers(names.isOwn)
    const { name, manifest } = await makeBackup(deps, names.nameAt, signal, setProgress)
    const success: BackupSuccess = {
      name,
      started_at,
      ended_at: timestampOf(storage.clock.now()),
      bytes: manifest.bytes,
      missing: manifest.attachments.missing,
    }
    await deleteExpired(target, deps, names.isOwn).catch((err: unknown) => {
      log.error({ err }, 'Old backups cannot be deleted')
    })
    await recordSuccess(write, mailing, success)
    log.info({ ...success, place: target.description }, 'A backup was made and checked')
    onOutcome?.('done')
  } catch (error) {
    // It was stopped with its process, or another one makes it now.
    if (signal.aborted || error instanceof JobLeaseLost) throw error
    const reason = error instanceof Error ? error.message : String(error)
    log.error({ reason, place: target.description }, 'The backup has failed')
    onOutcome?.('failed')
    await recordFailure(write, mailing, reason)
    throw new JobError(reason)
  }
}

async function makeBackup(
  deps: ScheduledBackupDeps,
  nameAt: (ms: number) => string,
  signal: AbortSignal,
  onProgress: (what: string) => void,
): Promise<StoredBackup> {
  const { storage, settings, location, secret, passphrase, runTask = runBackupProcess } = deps
  const now = storage.clock.now()
  const content: BackupContent = {
    location,
    madeAt: timestampOf(now),
    kind: 'scheduled',
    secret:
      passphrase === undefined
        ? undefined
        : { form: 'sealed', text: await sealSecret(secret, passphrase) },
    linksFiles: false,
  }
  const work = () =>
    runTask({ place: settings.place, name: nameAt(now), content }, signal, onProgress)
  return location.bucket ? work() : withFileDeletionPaused(storage, work)
}

/** Deletes what the rules do not keep of the backups that this schedule has made. */
async function deleteExpired(
  target: BackupTarget,
  { settings, secretProof }: ScheduledBackupDeps,
  isOwn: (name: string) => boolean,
): Promise<void> {
  const own = (await target.list()).filter(
    ({ name, manifest }) =>
      isOwn(name) && manifest.kind === 'scheduled' && manifest.secret_proof === secretProof,
  )
  const retained = own.map(({ name, manifest }) => ({ name, madeAt: Date.parse(manifest.made_at) }))
  for (const { name } of selectExpiredBackups(retained, settings.keep)) await target.remove(name)
}
