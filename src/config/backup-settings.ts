import { resolve } from 'node:path'
import { parseRetention } from '#backup/scheduled/retention.ts'
import type { BackupSettings } from '#backup/scheduled/run-backup.ts'
import type { BackupPlace } from '#backup/targets/backup-target.ts'
import type { S3Settings } from '#files/s3.ts'
import { type CronSchedule, parseCron } from '#lib/cron.ts'
import type { EnvReader, ReadText } from './env-reader.ts'

const SCHEDULES: ReadonlyMap<string, string> = new Map([
  ['daily', '0 2 * * *'],
  ['hourly', '0 * * * *'],
])
const DEFAULT_KEEP = '24h 7d 4w 12m'
const MIN_PASSPHRASE_LENGTH = 12
/** Characters that need no escaping, neither in a URL nor in the XML of a listing. */
const BUCKET_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/(?!\.+(?:\/|$))[\w.-]+)*)\/?$/

/**
 * Reads the settings of backups; undefined without a target. `files` has the settings of the bucket
 * for attachments, whose endpoint and keys are the defaults of those for backups.
 */
export function readBackupSettings(
  { text, textOrDefault, mistakes }: EnvReader,
  files: S3Settings | undefined,
): BackupSettings | undefined {
  const to = text('DOCKET_BACKUP_TO')
  const schedule = readSchedule(text('DOCKET_BACKUP_SCHEDULE'), mistakes)
  const keepText = textOrDefault('DOCKET_BACKUP_KEEP', DEFAULT_KEEP)
  const keep = parseRetention(keepText)
  if (!keep) {
    mistakes.push(
      `DOCKET_BACKUP_KEEP must be all, or list hours, days, weeks, months and years such as 7d 4w 12m, not "${keepText}"`,
    )
  }
  const connection = readBucketConnection(text, files, mistakes)
  if (to === undefined) {
    if (text('DOCKET_BACKUP_SCHEDULE') !== undefined) {
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
export function readBackupPassphrase(text: ReadText, mistakes: string[]): string | undefined {
  const passphrase = text('DOCKET_BACKUP_PASSPHRASE')
  if (passphrase !== undefined && passphrase.length < MIN_PASSPHRASE_LENGTH) {
    mistakes.push(`DOCKET_BACKUP_PASSPHRASE must have at least ${MIN_PASSPHRASE_LENGTH} characters`)
  }
  return passphrase
}

/** Reads the email address of the people who run the installation. */
export function readOperatorEmail(text: ReadText, mistakes: string[]): string | undefined {
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

type BucketConnection = Omit<S3Settings, 'bucket'>

const CONNECTION_SETTING_NAMES = ['ENDPOINT', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']

/** Reads how to reach the bucket of backups: all four settings, or those of attachments. */
function readBucketConnection(
  text: ReadText,
  files: S3Settings | undefined,
  mistakes: string[],
): BucketConnection | undefined {
  const names = CONNECTION_SETTING_NAMES.map((name) => `DOCKET_BACKUP_S3_${name}`)
  const values = names.map(text)
  if (values.every((value) => value === undefined)) return files
  for (const [at, value] of values.entries()) {
    if (value === undefined) {
      mistakes.push(`${names[at]} is missing: set all four DOCKET_BACKUP_S3_… settings, or none`)
    }
  }
  const [endpoint = '', region = '', accessKeyId = '', secretAccessKey = ''] = values
  const url = URL.parse(endpoint)
  if (endpoint && !(/^https?:$/.test(url?.protocol ?? '') && url?.origin === endpoint)) {
    mistakes.push(
      `DOCKET_BACKUP_S3_ENDPOINT must be a URL without a path, such as https://s3.example.com, not "${endpoint}"`,
    )
  }
  return { endpoint, region, accessKeyId, secretAccessKey }
}

function readPlace(
  to: string,
  connection: BucketConnection | undefined,
  mistakes: string[],
): BackupPlace {
  if (!/^[a-z0-9]+:\/\//i.test(to)) return { kind: 'directory', path: resolve(to) }
  const [, bucket = '', path = ''] = BUCKET_URL.exec(to) ?? []
  if (bucket === '') {
    mistakes.push(
      `DOCKET_BACKUP_TO must be a directory or s3://bucket/prefix with letters, digits, ".", "_" and "-", not "${to}"`,
    )
  } else if (!connection) {
    mistakes.push(
      'DOCKET_BACKUP_TO with s3:// requires the four DOCKET_BACKUP_S3_… settings, or those of DOCKET_S3_…',
    )
  }
  const { endpoint = '', region = '', accessKeyId = '', secretAccessKey = '' } = connection ?? {}
  const s3 = { endpoint, bucket, region, accessKeyId, secretAccessKey }
  return { kind: 'bucket', s3, prefix: path === '' ? '' : `${path.slice(1)}/` }
}
