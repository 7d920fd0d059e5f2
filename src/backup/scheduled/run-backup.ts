import { fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { conflict } from '#core/api-error.ts'
import type { Storage } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import type { CronSchedule } from '#lib/cron.ts'
import { DAY_MS } from '#lib/durations.ts'
import {
  type BackupContent,
  type BackupSecret,
  fileTimeOf,
  type InstallationLocation,
} from '../create-backup.ts'
import { withFileDeletionPaused } from '../pause-file-deletion.ts'
import { sealSecret } from '../restore-backup.ts'
import {
  type BackupPlace,
  type BackupTarget,
  openBackupTarget,
  type StoredBackup,
} from '../targets/backup-target.ts'
import {
  type BackupSuccess,
  beginBackup,
  endInterruptedBackup,
  recordFailure,
  recordSuccess,
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
  /** Whether it was found to be whole after it was made. */
  isSound: boolean
}

/**
 * Selects the backups to delete. Periods without a backup do not count, so that a server that was
 * off for a month deletes nothing of the month before. A backup that is not sound takes no place,
 * and goes once there is a newer sound one. The newest sound one always stays.
 */
export function selectExpiredBackups<B extends RetainedBackup>(
  backups: readonly B[],
  rules: RetentionRules,
): B[] {
  const newestFirst = backups.toSorted((one, other) => other.madeAt - one.madeAt)
  const newest = newestFirst.find(({ isSound }) => isSound)
  if (rules.size === 0 || !newest) return []
  const kept = new Set<RetainedBackup>([newest])
  for (const [unit, count] of rules) {
    const periods = new Set<string>()
    for (const backup of newestFirst) {
      const period = PERIODS[unit](backup.madeAt)
      if (!backup.isSound || periods.has(period)) continue
      if (periods.size === count) break
      periods.add(period)
      kept.add(backup)
    }
  }
  return newestFirst.filter((one) => !kept.has(one) && one.madeAt < newest.madeAt)
}

/** Where, when and for how long backups are made. */
export interface BackupSettings {
  place: BackupPlace
  /** Undefined: only `docket backup` makes them. */
  schedule: CronSchedule | undefined
  keep: RetentionRules
}

/** What a scheduled backup needs. */
export interface ScheduledBackupDeps {
  storage: Storage
  location: InstallationLocation
  settings: BackupSettings
  /** The secret of the installation, which a backup holds only with a passphrase. */
  secret: string | undefined
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

export type BackupOutcome = 'done' | 'failed'

const NOT_RESUMED =
  'This data was restored, copied or paused, and the original may keep its backups in the same place. Back up with --to, or run docket webhook resume once this is the only installation with this data.'

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

/**
 * Makes a backup where the settings say, checks it, and deletes those that are no longer kept. The
 * outcome is recorded. Throws 409 `not_resumed`, `backup_running` or `backup_failed`.
 */
export async function runScheduledBackup(
  deps: ScheduledBackupDeps,
  signal: AbortSignal,
  onProgress: (what: string) => void,
): Promise<BackupSuccess> {
  const { storage, settings, location, log, onOutcome } = deps
  if (await deps.isCopy()) throw conflict('not_resumed', NOT_RESUMED)
  const target = openBackupTarget(settings.place, location.dataDir)
  const names = createBackupNames(deps.secretProof)
  const records = {
    storage,
    operatorEmail: deps.operatorEmail,
    holder: randomUUID(),
    place: target.description,
  }
  const lease = await beginBackup(records, deps.passphrase !== undefined)
  const started_at = timestampOf(storage.clock.now())
  const either = AbortSignal.any([signal, lease.lost])
  try {
    await target.clearLeftovers(names.isOwn)
    const { name, manifest } = await makeSoundBackup(deps, names, either, onProgress)
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
    await recordSuccess(records, success)
    log.info({ ...success, place: target.description }, 'A backup was made and checked')
    onOutcome?.('done')
    return success
  } catch (error) {
    if (either.aborted) {
      await endInterruptedBackup(records)
      throw error
    }
    const reason = error instanceof Error ? error.message : String(error)
    log.error({ reason, place: target.description }, 'The backup has failed')
    onOutcome?.('failed')
    await recordFailure(records, reason)
    throw conflict('backup_failed', `The backup has failed: ${reason}`)
  } finally {
    lease.end()
  }
}

async function makeSoundBackup(
  {
    storage,
    settings,
    location,
    secret,
    passphrase,
    runTask = runBackupProcess,
  }: ScheduledBackupDeps,
  { nameAt }: Pick<ReturnType<typeof createBackupNames>, 'nameAt'>,
  signal: AbortSignal,
  onProgress: (what: string) => void,
): Promise<StoredBackup> {
  const now = storage.clock.now()
  const sealed: BackupSecret | undefined =
    passphrase === undefined || secret === undefined
      ? undefined
      : { form: 'sealed', text: await sealSecret(secret, passphrase) }
  const content = {
    ...({ location, madeAt: timestampOf(now), kind: 'scheduled', linksFiles: false } as const),
    secret: sealed,
  }
  const work = () =>
    runTask({ place: settings.place, name: nameAt(now), content }, signal, onProgress)
  const stored = await (location.bucket ? work() : withFileDeletionPaused(storage, work))
  if (stored.check?.sound) return stored
  throw new Error(`It is damaged: ${stored.check?.reason ?? 'it was not checked.'}`)
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
  const retained = own.map(({ name, manifest, check }) => ({
    name,
    madeAt: Date.parse(manifest.made_at),
    isSound: check?.sound === true,
  }))
  for (const { name } of selectExpiredBackups(retained, settings.keep)) await target.remove(name)
}
