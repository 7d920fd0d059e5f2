import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type BackupSettings, parseRetention } from '#backup/scheduled/run-backup.ts'
import type { BackupPlace } from '#backup/targets/backup-target.ts'
import type { OperatorSettings } from '#core/operator-settings.ts'
import type { S3Settings } from '#files/s3.ts'
import { isLoopback } from '#http/request/transport-checks.ts'
import { type CronSchedule, parseCron } from '#lib/cron.ts'
import { isCidr } from '#lib/ip-address.ts'
import { isTildePath, NO_TILDE_PATH } from '#lib/tilde-path.ts'
import type { MailSettings } from '#mail/smtp.ts'
import type { SsoSettings } from '#sso/sso-provider.ts'
import type { DeliveryRules } from '#webhooks/results/record.ts'
import {
  type EnvVariables,
  FILE_SUFFIX,
  findUnknownVariables,
  isServiceLinkPort,
  SECRET_SETTINGS,
  SERVICE_LINK_PORT_MISTAKE,
} from './setting-names.ts'

const MAX_LIST_VALUES = 50

/** One setting: its value, and where the value comes from. */
export interface SettingReading {
  name: string
  /** The text in force; undefined if the setting is not set and has no default. */
  value: string | undefined
  source: 'default' | 'environment' | 'file'
  /** The file with the value, for the source `file`. */
  path?: string
}

/** Reads the text of a setting; undefined if it is not set. */
type ReadText = (name: string) => string | undefined

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
      recordDefault(name, Number.isFinite(defaultValue) ? `${defaultValue}` : 'unlimited')
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

  function integers(name: string, defaults: number[], max: number): number[] {
    const input = textOrDefault(name, defaults.join(','))
    const values = input.split(',').map((part) => (/^\d{1,12}$/.test(part) ? Number(part) : -1))
    if (values.every((value) => value >= 0 && value <= max) && values.length <= MAX_LIST_VALUES) {
      return values
    }
    mistakes.push(
      `${name} must list up to ${MAX_LIST_VALUES} whole numbers from 0 to ${max}, not "${input}"`,
    )
    return defaults
  }

  const flag = (name: string, defaultValue: boolean) =>
    oneOf(name, ['0', '1'], defaultValue ? '1' : '0') === '1'

  /** All mistakes; those that only follow from a file that could not be read are left out. */
  function listMistakes(): string[] {
    const failed = failedNames.map((name) => new RegExp(`\\b${name}\\b`))
    const others = mistakes.filter((mistake) => !failed.some((name) => name.test(mistake)))
    return [...fileMistakes, ...others]
  }

  const readers = { text, textOrDefault, path, integer, integers, oneOf, list, flag }
  return { ...readers, mistakes, readings, recordDefault, listMistakes }
}

/** Reads single settings and collects all mistakes. */
type EnvReader = ReturnType<typeof createEnvReader>

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

/**
 * Reads the settings of single sign-on; undefined without an issuer. Mistakes never repeat the
 * secret.
 */
function readSsoSettings(env: EnvReader): SsoSettings | undefined {
  const { text, textOrDefault, oneOf, flag, list, mistakes } = env
  const issuer = text('DOCKET_OIDC_ISSUER')
  const clientId = text('DOCKET_OIDC_CLIENT_ID')
  const workspace_id = text('DOCKET_OIDC_WORKSPACE')
  const role = oneOf('DOCKET_OIDC_ROLE', ['admin', 'member', 'guest'], 'member')
  const settings = {
    issuer: issuer ?? '',
    clientId: clientId ?? '',
    clientSecret: text('DOCKET_OIDC_CLIENT_SECRET'),
    name: textOrDefault('DOCKET_OIDC_NAME', 'your company'),
    scopes: textOrDefault('DOCKET_OIDC_SCOPES', 'openid email profile'),
    domains: list('DOCKET_OIDC_DOMAINS', isDomain, 'domains such as example.com').map((one) =>
      one.toLowerCase(),
    ),
    newcomers: workspace_id === undefined ? undefined : { workspace_id, role },
    only: flag('DOCKET_OIDC_ONLY', false),
  }
  if (issuer === undefined) {
    if (settings.only) mistakes.push('DOCKET_OIDC_ONLY requires DOCKET_OIDC_ISSUER')
    return undefined
  }
  const { protocol, host } = URL.parse(issuer) ?? {}
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(host))) {
    mistakes.push(
      'DOCKET_OIDC_ISSUER must be an https URL such as https://sso.example.com/realms/acme',
    )
  }
  if (clientId === undefined) mistakes.push('DOCKET_OIDC_ISSUER requires DOCKET_OIDC_CLIENT_ID')
  if (!settings.scopes.split(' ').includes('openid')) {
    mistakes.push('DOCKET_OIDC_SCOPES must include openid, such as "openid email profile"')
  }
  if (workspace_id !== undefined && !/^wsp_[0-9a-hjkmnp-tv-z]{26}$/.test(workspace_id)) {
    mistakes.push('DOCKET_OIDC_WORKSPACE must be a workspace id, such as wsp_01h…')
  }
  return settings
}

const isDomain = (text: string): boolean => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)

const DATABASE_URL_SETTINGS = ['DOCKET_DATABASE_URL', 'DOCKET_DATABASE_LISTEN_URL']

/** Checks the URLs of the database. Mistakes never repeat them, because they hold passwords. */
function checkDatabaseUrls(text: ReadText, mistakes: string[]): void {
  for (const name of DATABASE_URL_SETTINGS) {
    if (!/^postgres(ql)?:\/\//.test(text(name) ?? 'postgres://')) {
      mistakes.push(`${name} must be a URL that begins with postgres://`)
    }
    if (/^postgres(ql)?:\/\/([^/]*@)?[^/@]*,[^/@]*(\/|$)/.test(text(name) ?? '')) {
      mistakes.push(`${name} must name exactly one host; lists of hosts are not supported`)
    }
  }
}

const BUCKET_SETTINGS = ['ENDPOINT', 'BUCKET', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']

/** Reads the settings of S3 whose names begin with `prefix`: all of these, or none. */
function readS3(
  text: ReadText,
  prefix: string,
  names: readonly string[],
  mistakes: string[],
): S3Settings | undefined {
  const values = new Map(names.map((name) => [name, text(prefix + name)]))
  if ([...values.values()].every((value) => value === undefined)) return undefined
  for (const [name, value] of values) {
    if (value === undefined) {
      const count = names.length === 5 ? 'five' : 'four'
      mistakes.push(`${prefix}${name} is missing: set all ${count} ${prefix}… settings, or none`)
    }
  }
  const settingOf = (name: string) => values.get(name) ?? ''
  const [endpoint, bucket] = [settingOf('ENDPOINT'), settingOf('BUCKET')]
  if (endpoint && !isOrigin(endpoint)) {
    mistakes.push(
      `${prefix}ENDPOINT must be a URL without a path, such as https://s3.example.com, not "${endpoint}"`,
    )
  }
  if (bucket && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    mistakes.push(
      `${prefix}BUCKET must be a bucket name of 3–63 lower-case letters, digits, dots and hyphens, not "${bucket}"`,
    )
  }
  return {
    endpoint,
    bucket,
    region: settingOf('REGION'),
    accessKeyId: settingOf('ACCESS_KEY_ID'),
    secretAccessKey: settingOf('SECRET_ACCESS_KEY'),
  }
}

/** Whether a URL is an origin: without a path and without a slash at the end. */
function isOrigin(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && address === url.origin
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
  const names = BUCKET_SETTINGS.filter((name) => name !== 'BUCKET')
  const connection = readS3(text, 'DOCKET_BACKUP_S3_', names, mistakes) ?? files
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
function readBackupPassphrase(text: ReadText, mistakes: string[]): string | undefined {
  const passphrase = text('DOCKET_BACKUP_PASSPHRASE')
  if (passphrase !== undefined && passphrase.length < MIN_PASSPHRASE_LENGTH) {
    mistakes.push(`DOCKET_BACKUP_PASSPHRASE must have at least ${MIN_PASSPHRASE_LENGTH} characters`)
  }
  return passphrase
}

/** Reads the email address of the people who run the installation. */
function readOperatorEmail(text: ReadText, mistakes: string[]): string | undefined {
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

/** Delays between delivery attempts (docs/spec/api.md#webhook-delivery). */
const DEFAULT_RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
const LOG_LEVEL_VALUES = ['auto', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** All settings of the operator, read once at the start (docs/spec/api.md#settings). */
export interface Config {
  host: string
  port: number
  baseUrl: string
  /** Whether both base URL and listening address are loopback addresses. */
  loopback: boolean
  dataDir: string
  /** The secret of the installation; undefined to use the one generated in the data directory. */
  secret: string | undefined
  databaseUrl: string | undefined
  /** Seconds for which a starting server waits for a database that cannot be reached. */
  databaseWaitSeconds: number
  /** The target of `migrate-to`, if the command line names none. */
  migrateToUrl: string | undefined
  /** The number of processes that share the port; more than one needs PostgreSQL. */
  processes: number
  /** The database URL for LISTEN, which a pooler may not support; undefined: `databaseUrl`. */
  databaseListenUrl: string | undefined
  /** The bucket for files; undefined: they are in the data directory. */
  s3: S3Settings | undefined
  /** Backups; undefined: there is no target for them. */
  backup: BackupSettings | undefined
  /** Encrypts the secret in backups; undefined: they do not contain it. */
  backupPassphrase: string | undefined
  /** The address of the people who run the installation. */
  operatorEmail: string | undefined
  maxAttachmentBytes: number
  /** The most bytes of the downloadable archives of a workspace. */
  maxExportBytes: number
  demo: boolean
  /** Who may sign up after the first account. */
  signup: 'open' | 'invite'
  /** Whether the first account needs the setup token, because others may reach the sign-up. */
  requiresSetupToken: boolean
  /** Single sign-on; undefined: not configured. */
  sso: SsoSettings | undefined
  /** Whether applications may register themselves (RFC 7591). */
  oauthRegistration: boolean
  /** The mail server; undefined: no emails are sent. */
  mail: MailSettings | undefined
  limits: { free: number; paid: number; unauthenticated: number }
  defaultPlan: 'free' | 'paid'
  eventRetentionDays: number
  auditRetentionDays: number
  /** Whether each entry of the audit log is also written to the log. */
  auditLog: boolean
  /** The settings that operations read. */
  settings: OperatorSettings
  webhooks: DeliveryRules & { timeoutSeconds: number }
  trustProxy: number
  metricsToken: string | undefined
  /** The name of this installation on its start page. */
  name: string
  /** Whether `/` shows a start page to visitors, or redirects them to the sign-in. */
  landing: boolean
  /** `auto`: info, but warn on a terminal. */
  logLevel: 'auto' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Whether the log has the IP addresses of clients. */
  logAddresses: boolean
  /** Seconds in which a stopping server still accepts, so that a load balancer can remove it. */
  drainSeconds: number
}

/** Part of the texts that stand for a secret in deploy/, where somebody has to replace them. */
const SAMPLE_WORDS = 'openssl rand'

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
  const reader = createEnvReader(hasLinkedPort ? { ...env, DOCKET_PORT: undefined } : env)
  const { text, textOrDefault, path, integer, integers, flag, oneOf, list, mistakes } = reader
  if (hasLinkedPort) mistakes.push(SERVICE_LINK_PORT_MISTAKE)
  const host = textOrDefault('DOCKET_HOST', '127.0.0.1')
  const port = integer('DOCKET_PORT', 4000, 0, 65_535)
  const base = readBaseUrl(text('DOCKET_BASE_URL'), host, port, mistakes)
  reader.recordDefault('DOCKET_BASE_URL', base)
  const loopback = isLoopback(host) && isLoopback(URL.parse(base)?.host)
  const limits = {
    free: integer('DOCKET_LIMIT_FREE', 500, 1, 1e9),
    paid: integer('DOCKET_LIMIT_PAID', 5_000, 1, 1e9),
    unauthenticated: integer('DOCKET_UNAUTHENTICATED_LIMIT', 600, 1, 1e9),
  }
  const maxAttachmentBytes = integer('DOCKET_MAX_ATTACHMENT_BYTES', 104_857_600, 1, 1e11)
  const signup = oneOf('DOCKET_SIGNUP', ['open', 'invite'], 'invite')
  const mailSettings = readMailSettings(text, mistakes)
  const s3 = readS3(text, 'DOCKET_S3_', BUCKET_SETTINGS, mistakes)
  const processes = integer('DOCKET_PROCESSES', 1, 1, 64)
  if (processes > 1 && text('DOCKET_DATABASE_URL') === undefined) {
    mistakes.push(
      'DOCKET_PROCESSES greater than 1 requires PostgreSQL: set DOCKET_DATABASE_URL, or leave DOCKET_PROCESSES at 1',
    )
  }
  const config: Config = {
    host,
    port,
    baseUrl: base,
    loopback,
    dataDir: path('DOCKET_DATA_DIR', './data'),
    secret: text('DOCKET_SECRET'),
    databaseUrl: text('DOCKET_DATABASE_URL'),
    databaseWaitSeconds: integer('DOCKET_DATABASE_WAIT', 60, 0, 86_400),
    migrateToUrl: text('DOCKET_MIGRATE_TO'),
    processes,
    databaseListenUrl: text('DOCKET_DATABASE_LISTEN_URL'),
    s3,
    backup: readBackupSettings(reader, s3),
    backupPassphrase: readBackupPassphrase(text, mistakes),
    operatorEmail: readOperatorEmail(text, mistakes),
    maxAttachmentBytes,
    maxExportBytes: integer('DOCKET_WORKSPACE_EXPORT_BYTES', 21_474_836_480, 1, 999_999_999_999),
    demo: flag('DOCKET_DEMO', true),
    signup,
    // Where anybody may sign up, the first account has no more rights than the second.
    requiresSetupToken: !loopback && signup === 'invite',
    sso: readSsoSettings(reader),
    oauthRegistration: flag('DOCKET_OAUTH_REGISTRATION', false),
    mail: mailSettings,
    limits,
    defaultPlan: oneOf('DOCKET_DEFAULT_PLAN', ['free', 'paid'], 'free'),
    eventRetentionDays: integer('DOCKET_EVENT_RETENTION_DAYS', 30, 1, 36_500),
    auditRetentionDays: integer('DOCKET_AUDIT_RETENTION_DAYS', 400, 1, 36_500),
    auditLog: flag('DOCKET_AUDIT_LOG', false),
    settings: {
      trashDays: integer('DOCKET_TRASH_DAYS', 30, 1, 36_500),
      requestsPerMinute: { free: limits.free, paid: limits.paid },
      planLocked: flag('DOCKET_PLAN_LOCKED', false),
      web: {
        max_attachment_bytes: maxAttachmentBytes,
        signup,
        mail: mailSettings !== undefined,
      },
      webhookTargets: {
        allowHttp: flag('DOCKET_WEBHOOK_ALLOW_HTTP', false),
        networks: list('DOCKET_WEBHOOK_ALLOWED_CIDRS', isCidr, 'networks such as 10.1.0.0/16'),
        loopback,
      },
      workspaceBytes: integer('DOCKET_WORKSPACE_BYTES', 10_737_418_240, 1_048_576, 1e15),
      workspaceAttachmentBytes: integer(
        'DOCKET_WORKSPACE_ATTACHMENT_BYTES',
        Number.POSITIVE_INFINITY,
        1,
        999_999_999_999,
      ),
    },
    webhooks: {
      retrySeconds: integers('DOCKET_WEBHOOK_RETRY_SECONDS', DEFAULT_RETRY_SECONDS, 604_800),
      timeoutSeconds: integer('DOCKET_WEBHOOK_TIMEOUT_SECONDS', 10, 1, 60),
      disableAfterSeconds: integer('DOCKET_WEBHOOK_DISABLE_AFTER_SECONDS', 259_200, 0, 1e9),
      disableAfterAttempts: integer('DOCKET_WEBHOOK_DISABLE_AFTER_ATTEMPTS', 20, 1, 1e9),
    },
    trustProxy: integer('DOCKET_TRUST_PROXY', 0, 0, 16),
    metricsToken: text('DOCKET_METRICS_TOKEN'),
    name: textOrDefault('DOCKET_NAME', 'Docket'),
    landing: oneOf('DOCKET_LANDING', ['on', 'off'], 'on') === 'on',
    logLevel: oneOf('DOCKET_LOG_LEVEL', LOG_LEVEL_VALUES, 'auto'),
    logAddresses: flag('DOCKET_LOG_ADDRESSES', true),
    drainSeconds: integer('DOCKET_DRAIN_SECONDS', 1, 0, 20),
  }
  checkDatabaseUrls(text, mistakes)
  if (config.secret !== undefined && config.secret.length < 16) {
    mistakes.push('DOCKET_SECRET must have at least 16 characters')
  }
  for (const name of ['DOCKET_SECRET', 'DOCKET_METRICS_TOKEN']) {
    if (text(name)?.includes(SAMPLE_WORDS)) {
      mistakes.push(
        `${name} is the sample text of deploy/, which everybody knows: set it to the output of openssl rand -hex 32`,
      )
    }
  }
  const readings = [...reader.readings.values()]
  const unknown = findUnknownVariables(
    env,
    readings.map(({ name }) => name),
  )
  return { config, readings, mistakes: [...unknown, ...reader.listMistakes()] }
}

/** The names of all settings. */
export const listSettingNames = (): Set<string> =>
  new Set(readSettingSources({}).readings.map(({ name }) => name))

function readBaseUrl(value: string | undefined, host: string, port: number, mistakes: string[]) {
  const name = ['0.0.0.0', '::', '[::]'].includes(host) ? 'localhost' : host
  const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  if (value === undefined) return `http://${bracketed}:${port}`
  if (isOrigin(value)) return value
  const must =
    'DOCKET_BASE_URL must be a URL without a path or trailing slash, such as https://docket.example.com'
  mistakes.push(`${must}, not "${value}"`)
  return value
}

/**
 * Reads mail server and sender: both or none. Mistakes never repeat the URL, which holds a
 * password.
 */
function readMailSettings(
  text: (name: string) => string | undefined,
  mistakes: string[],
): MailSettings | undefined {
  const [url, from] = [text('DOCKET_SMTP_URL'), text('DOCKET_MAIL_FROM')]
  if (url === undefined && from === undefined) return undefined
  const { protocol = '', hostname = '' } = URL.parse(url ?? '') ?? {}
  if (!/^smtps?:$/.test(protocol) || hostname === '') {
    const example = 'smtp://user:password@mail.example.com:587'
    mistakes.push(
      `DOCKET_SMTP_URL must be a URL such as ${example}; set it together with DOCKET_MAIL_FROM`,
    )
  }
  if (!/^(?:[^<>@\p{Cc}]+ <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u.test(from ?? '')) {
    const example = 'Docket <docket@example.com>'
    mistakes.push(
      `DOCKET_MAIL_FROM must be an email address such as ${example}; set it together with DOCKET_SMTP_URL`,
    )
  }
  return { url: url ?? '', from: from ?? '' }
}
