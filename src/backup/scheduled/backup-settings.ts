import { resolve } from 'node:path'
import type { SettingReader } from '#core/setting-reader.ts'
import type { FileSettings, S3Connection } from '#files/s3-settings.ts'
import { type CronSchedule, parseCron } from '#lib/cron.ts'
import { isTildePath, NO_TILDE_PATH } from '#lib/tilde-path.ts'
import type { BackupPlace } from '../targets/backup-target.ts'
import { type BackupPlan, parseRetention } from './run-backup.ts'

/** How an installation is backed up. */
export interface BackupSettings {
  /** Undefined: there is no place for them. */
  plan: BackupPlan | undefined
  /** Encrypts the secret in backups; undefined: they do not contain it. */
  passphrase: string | undefined
  /** The address of the people who run the installation. */
  operatorEmail: string | undefined
}

const SCHEDULES: ReadonlyMap<string, string> = new Map([
  ['daily', '0 2 * * *'],
  ['hourly', '0 * * * *'],
])
const DEFAULT_KEEP = '24h 7d 4w 12m'
const MIN_PASSPHRASE_LENGTH = 12
/** Characters that need no escaping, neither in a URL nor in the XML of a listing. */
const BUCKET_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/(?!\.+(?:\/|$))[\w.-]+)*)\/?$/

/** Reads how an installation is backed up, in a bucket with the keys of that for attachments. */
export const readBackupSettings = (
  reader: SettingReader,
  files: Pick<FileSettings, 'connection' | 's3'>,
): BackupSettings => ({
  plan: readPlan(reader, files),
  passphrase: readPassphrase(reader),
  operatorEmail: readOperatorEmail(reader),
})

function readPlan(
  { text, textOrDefault, mistakes }: SettingReader,
  { connection, s3 }: Pick<FileSettings, 'connection' | 's3'>,
): BackupPlan | undefined {
  const to = text('DOCKET_BACKUP_TO')
  const scheduleText = text('DOCKET_BACKUP_SCHEDULE')
  const schedule = readSchedule(scheduleText, mistakes)
  const keepText = textOrDefault('DOCKET_BACKUP_KEEP', DEFAULT_KEEP)
  const keep = parseRetention(keepText)
  if (!keep) {
    mistakes.push(
      `DOCKET_BACKUP_KEEP must be all, or list hours, days, weeks, months and years such as 7d 4w 12m, not "${keepText}"`,
    )
  }
  if (connection && !s3 && !to?.startsWith('s3://')) {
    // Attachments would silently be in the data directory.
    mistakes.push(
      'DOCKET_S3_BUCKET is missing: without it DOCKET_S3_… is for backups only, and DOCKET_BACKUP_TO is not s3://bucket/prefix',
    )
  }
  if (to === undefined) {
    if (scheduleText !== undefined) {
      mistakes.push(
        'DOCKET_BACKUP_SCHEDULE requires DOCKET_BACKUP_TO, a directory or s3://bucket/prefix',
      )
    }
    return undefined
  }
  const place = readPlace(to, connection, mistakes)
  return { place, schedule, keep: keep ?? new Map() }
}

/** Reads the passphrase that encrypts the secret in backups. Mistakes never repeat it. */
function readPassphrase({ secret, mistakes }: SettingReader): string | undefined {
  const passphrase = secret('DOCKET_BACKUP_PASSPHRASE')
  if (passphrase !== undefined && passphrase.length < MIN_PASSPHRASE_LENGTH) {
    mistakes.push(`DOCKET_BACKUP_PASSPHRASE must have at least ${MIN_PASSPHRASE_LENGTH} characters`)
  }
  return passphrase
}

/** Reads the email address of the people who run the installation. */
function readOperatorEmail({ text, mistakes }: SettingReader): string | undefined {
  const email = text('DOCKET_OPERATOR_EMAIL')
  if (email !== undefined && !/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(email)) {
    mistakes.push(
      `DOCKET_OPERATOR_EMAIL must be one email address such as ops@example.com, not "${email}"`,
    )
  }
  return email
}

function readSchedule(value: string | undefined, mistakes: string[]): CronSchedule | undefined {
  if (value === undefined) return undefined
  const schedule = parseCron(SCHEDULES.get(value) ?? value)
  if (!schedule) {
    mistakes.push(
      `DOCKET_BACKUP_SCHEDULE must be daily, hourly or five cron fields in UTC such as "30 2 * * *", not "${value}"`,
    )
  }
  return schedule
}

function readPlace(
  to: string,
  connection: S3Connection | undefined,
  mistakes: string[],
): BackupPlace {
  if (!/^[a-z0-9]+:\/\//i.test(to)) {
    if (isTildePath(to)) mistakes.push(`DOCKET_BACKUP_TO must be ${NO_TILDE_PATH}, not "${to}"`)
    return { kind: 'directory', path: resolve(to) }
  }
  const [, bucket = '', path = ''] = BUCKET_URL.exec(to) ?? []
  if (bucket === '') {
    mistakes.push(
      `DOCKET_BACKUP_TO must be a directory or s3://bucket/prefix with letters, digits, ".", "_" and "-", not "${to}"`,
    )
  } else if (!connection) {
    mistakes.push('DOCKET_BACKUP_TO with s3:// requires endpoint, region and keys in DOCKET_S3_…')
  }
  const { endpoint = '', region = '', accessKeyId = '', secretAccessKey = '' } = connection ?? {}
  const s3 = { endpoint, bucket, region, accessKeyId, secretAccessKey }
  return { kind: 'bucket', s3, prefix: path === '' ? '' : `${path.slice(1)}/` }
}
