import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type BackupSettings, parseRetention } from '#backup/scheduled/run-backup.ts'
import type { BackupPlace } from '#backup/targets/backup-target.ts'
import type { Plan } from '#core/actor.ts'
import type { OperatorSettings } from '#core/operator-settings.ts'
import type { SettingReader } from '#core/setting-reader.ts'
import { readStoreSettings, type StoreSettings } from '#db/installation/store-settings.ts'
import { readS3Settings, S3_SETTING_NAMES, type S3Settings } from '#files/s3-settings.ts'
import { type HttpSettings, readHttpSettings } from '#http/server/http-settings.ts'
import { type CronSchedule, parseCron } from '#lib/cron.ts'
import { isCidr } from '#lib/ip-address.ts'
import { isTildePath, NO_TILDE_PATH } from '#lib/tilde-path.ts'
import { type MailSettings, readMailSettings } from '#mail/mail-settings.ts'
import { type LimitSettings, readLimitSettings } from '#rate-limits/limit-settings.ts'
import { readSsoSettings, type SsoSettings } from '#sso/sso-settings.ts'
import {
  type EnvVariables,
  FILE_SUFFIX,
  findUnknownVariables,
  isServiceLinkPort,
  SECRET_SETTINGS,
  SERVICE_LINK_PORT_MISTAKE,
} from './setting-names.ts'

/** One setting: its value, and where the value comes from. */
export interface SettingReading {
  name: string
  /** The text in force; undefined if the setting is not set and has no default. */
  value: string | undefined
  source: 'default' | 'environment' | 'file'
  /** The file with the value, for the source `file`. */
  path?: string
}

/** Creates functions that read single settings and collect all mistakes. */
function createEnvReader(env: EnvVariables) {
  const mistakes: string[] = []
  const fileMistakes: string[] = []
  const failedNames: string[] = []
  const readings = new Map<string, SettingReading>()

  function text(name: string): string | undefined {
    const reading = readings.get(name) ?? readSetting(name)
    readings.set(name, reading)
    return reading.source === 'default' ? undefined : reading.value
  }

  /** Reads a setting and records its default as the value in force where it is not set. */
  function textOrDefault(name: string, defaultValue: string): string {
    return text(name) ?? recordDefault(name, defaultValue)
  }

  function recordDefault(name: string, value: string): string {
    const reading = readings.get(name)
    if (reading?.source === 'default') readings.set(name, { ...reading, value })
    return value
  }

  function readSetting(name: string): SettingReading {
    const value = env[name] || undefined
    const path = SECRET_SETTINGS.has(name) ? env[`${name}${FILE_SUFFIX}`] || undefined : undefined
    if (path === undefined) {
      return { name, value, source: value === undefined ? 'default' : 'environment' }
    }
    try {
      if (value !== undefined) throw new Error(`is set, and so is ${name}: remove one of them`)
      return { name, value: readSecretFile(path), source: 'file', path: resolve(path) }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      fileMistakes.push(`${name}${FILE_SUFFIX} ${why}`)
      failedNames.push(name)
      return { name, value: undefined, source: 'default' }
    }
  }

  function path(name: string, defaultValue: string): string {
    const value = textOrDefault(name, defaultValue)
    if (isTildePath(value)) mistakes.push(`${name} must be ${NO_TILDE_PATH}, not "${value}"`)
    return value
  }

  function integer(name: string, defaultValue: number, min: number, max: number): number {
    const input = text(name)
    if (input === undefined) {
      recordDefault(name, `${defaultValue}`)
      return defaultValue
    }
    const value = /^\d{1,12}$/.test(input) ? Number(input) : Number.NaN
    if (value >= min && value <= max) return value
    mistakes.push(`${name} must be a whole number from ${min} to ${max}, not "${input}"`)
    return defaultValue
  }

  function oneOf<const W extends string>(name: string, values: readonly W[], defaultValue: W): W {
    const input = textOrDefault(name, defaultValue)
    const value = values.find((one) => one === input)
    if (value !== undefined) return value
    mistakes.push(`${name} must be one of ${values.join(', ')}, not "${input}"`)
    return defaultValue
  }

  function list(name: string, isValid: (part: string) => boolean, expected: string): string[] {
    const parts = (text(name) ?? '').split(',').map((part) => part.trim())
    const values = parts.filter((part) => part !== '')
    const invalid = values.filter((part) => !isValid(part))
    if (invalid.length > 0)
      mistakes.push(`${name} must list ${expected}, not "${invalid.join(', ')}"`)
    return values
  }

  const flag = (name: string, defaultValue: boolean) =>
    oneOf(name, ['0', '1'], defaultValue ? '1' : '0') === '1'

  /** All mistakes; those that only follow from a file that could not be read are left out. */
  function listMistakes(): string[] {
    const failed = failedNames.map((name) => new RegExp(`\\b${name}\\b`))
    const others = mistakes.filter((mistake) => !failed.some((name) => name.test(mistake)))
    return [...fileMistakes, ...others]
  }

  const reader: SettingReader = {
    mistakes,
    text,
    textOrDefault,
    recordDefault,
    path,
    integer,
    oneOf,
    list,
    flag,
  }
  return { reader, readings, listMistakes }
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable by this user',
  EISDIR: 'is a directory',
}

/** Reads a secret without its last line break. Errors name the path, never the content. */
function readSecretFile(path: string): string {
  if (isTildePath(path)) throw new Error(`must be ${NO_TILDE_PATH}, not "${path}"`)
  const absolute = resolve(path)
  let content: string
  try {
    content = readFileSync(absolute, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new Error(`names ${absolute}, which ${READ_FAILURES[code] ?? `cannot be read (${code})`}`)
  }
  const value = content.replace(/\r?\n$/, '')
  if (value === '') throw new Error(`names ${absolute}, which is empty`)
  return value
}

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
function readBackupSettings(
  reader: SettingReader,
  files: S3Settings | undefined,
): BackupSettings | undefined {
  const { text, textOrDefault, mistakes } = reader
  const to = text('DOCKET_BACKUP_TO')
  const schedule = readSchedule(text('DOCKET_BACKUP_SCHEDULE'), mistakes)
  const keepText = textOrDefault('DOCKET_BACKUP_KEEP', DEFAULT_KEEP)
  const keep = parseRetention(keepText)
  if (!keep) {
    mistakes.push(
      `DOCKET_BACKUP_KEEP must be all, or list hours, days, weeks, months and years such as 7d 4w 12m, not "${keepText}"`,
    )
  }
  const names = S3_SETTING_NAMES.filter((name) => name !== 'BUCKET')
  const connection = readS3Settings(reader, 'DOCKET_BACKUP_S3_', names) ?? files
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
function readBackupPassphrase({ text, mistakes }: SettingReader): string | undefined {
  const passphrase = text('DOCKET_BACKUP_PASSPHRASE')
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
  connection: Omit<S3Settings, 'bucket'> | undefined,
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
    mistakes.push(
      'DOCKET_BACKUP_TO with s3:// requires the four DOCKET_BACKUP_S3_… settings, or those of DOCKET_S3_…',
    )
  }
  const { endpoint = '', region = '', accessKeyId = '', secretAccessKey = '' } = connection ?? {}
  const s3 = { endpoint, bucket, region, accessKeyId, secretAccessKey }
  return { kind: 'bucket', s3, prefix: path === '' ? '' : `${path.slice(1)}/` }
}

/**
 * All settings of the operator, read once at the start (docs/spec/api.md#settings). Each feature declares and
 * reads its own group.
 */
export interface Config extends StoreSettings, HttpSettings, LimitSettings {
  /** The target of `migrate-to`, if the command line names none. */
  migrateToUrl: string | undefined
  /** The bucket for files; undefined: they are in the data directory. */
  s3: S3Settings | undefined
  /** Backups; undefined: there is no target for them. */
  backup: BackupSettings | undefined
  /** Encrypts the secret in backups; undefined: they do not contain it. */
  backupPassphrase: string | undefined
  /** The address of the people who run the installation. */
  operatorEmail: string | undefined
  /** Whether the very first start creates a demo workspace. */
  demo: boolean
  /** Who may sign up after the first account. */
  signup: 'open' | 'invite'
  /** Whether the first account needs the setup token, because others may reach the sign-up. */
  requiresSetupToken: boolean
  /** Single sign-on; undefined: not configured. */
  sso: SsoSettings | undefined
  /** The mail server; undefined: no emails are sent. */
  mail: MailSettings | undefined
  /** The plan of new workspaces. */
  defaultPlan: Plan
  /** Days for which events and deletions are kept, and for which entries of the audit log are. */
  eventRetentionDays: number
  auditRetentionDays: number
  /** Whether each entry of the audit log is also written to the log. */
  auditLog: boolean
  /** The settings that operations read. */
  settings: OperatorSettings
}

/** Lists all mistakes in the environment, one line each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`Invalid settings:\n  ${mistakes.join('\n  ')}`)
    this.mistakes = mistakes
  }
}

/** Reads the environment; nothing else does. Throws an error that lists all mistakes at once. */
export function parseConfig(env: EnvVariables): Config {
  const { config, mistakes } = readSettingSources(env)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return config
}

/** The settings as they were read; `config` is not valid if there are mistakes. */
interface SettingsResult {
  config: Config
  mistakes: readonly string[]
  /** Each setting with its value and where the value comes from. */
  readings: readonly SettingReading[]
}

/** Reads the environment as `parseConfig` does, and tells where each value comes from. */
export function readSettingSources(env: EnvVariables): SettingsResult {
  const hasLinkedPort = isServiceLinkPort(env)
  const { reader, readings, listMistakes } = createEnvReader(
    hasLinkedPort ? { ...env, DOCKET_PORT: undefined } : env,
  )
  const { text, integer, flag, oneOf, list } = reader
  if (hasLinkedPort) reader.mistakes.push(SERVICE_LINK_PORT_MISTAKE)
  const http = readHttpSettings(reader)
  const limits = readLimitSettings(reader)
  const signup = oneOf('DOCKET_SIGNUP', ['open', 'invite'], 'invite')
  const mail = readMailSettings(reader)
  const s3 = readS3Settings(reader, 'DOCKET_S3_')
  const { loopback, maxAttachmentBytes } = http
  const config: Config = {
    ...http,
    ...readStoreSettings(reader),
    ...limits,
    migrateToUrl: text('DOCKET_MIGRATE_TO'),
    defaultPlan: oneOf('DOCKET_DEFAULT_PLAN', ['free', 'paid'], 'free'),
    eventRetentionDays: integer('DOCKET_EVENT_RETENTION_DAYS', 30, 1, 36_500),
    auditRetentionDays: integer('DOCKET_AUDIT_RETENTION_DAYS', 400, 1, 36_500),
    s3,
    backup: readBackupSettings(reader, s3),
    backupPassphrase: readBackupPassphrase(reader),
    operatorEmail: readOperatorEmail(reader),
    demo: flag('DOCKET_DEMO', true),
    signup,
    // Where anybody may sign up, the first account has no more rights than the second.
    requiresSetupToken: !loopback && signup === 'invite',
    sso: readSsoSettings(reader),
    mail,
    auditLog: flag('DOCKET_AUDIT_LOG', false),
    settings: {
      requestsPerMinute: limits.limits,
      planLocked: limits.planLocked,
      web: {
        max_attachment_bytes: maxAttachmentBytes,
        signup,
        mail: mail !== undefined,
        offers_plans: !limits.planLocked && limits.limits.free !== limits.limits.paid,
      },
      webhookTargets: {
        allowHttp: flag('DOCKET_WEBHOOK_ALLOW_HTTP', false),
        networks: list('DOCKET_WEBHOOK_ALLOWED_CIDRS', isCidr, 'networks such as 10.1.0.0/16'),
        loopback,
      },
      workspaceBytes: integer('DOCKET_WORKSPACE_BYTES', 10_737_418_240, 1_048_576, 1e15),
    },
  }
  const values = [...readings.values()]
  const unknown = findUnknownVariables(
    env,
    values.map(({ name }) => name),
  )
  return { config, readings: values, mistakes: [...unknown, ...listMistakes()] }
}

/** The names of all settings. */
export const listSettingNames = (): Set<string> =>
  new Set(readSettingSources({}).readings.map(({ name }) => name))
