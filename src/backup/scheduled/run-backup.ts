import { createHash, randomUUID } from 'node:crypto'
import { conflict } from '#core/api-error.ts'
import type { Storage } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import type { CronSchedule } from '#lib/cron.ts'
import { fileTimeOf } from '../create-backup.ts'
import { withFileDeletionPaused } from '../pause-file-deletion.ts'
import { sealSecret } from '../sealed-secret.ts'
import type { BackupPlace, BackupTarget, StoredBackup } from '../targets/backup-target.ts'
import { openBackupTarget } from '../targets/open-target.ts'
import type { BackupSecret, InstallationLocation } from '../write-backup.ts'
import { type RunBackupTask, runBackupProcess } from './backup-process.ts'
import {
  beginBackup,
  endInterruptedBackup,
  recordFailure,
  recordSuccess,
} from './backup-records.ts'
import type { BackupSuccess } from './backup-state.ts'
import { type RetentionRules, selectExpiredBackups } from './retention.ts'

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
