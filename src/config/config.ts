import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { BackupSettings } from '#backup/scheduled/run-backup.ts'
import type { OperatorSettings } from '#core/operator-settings.ts'
import type { S3Settings } from '#files/s3.ts'
import { isLoopback } from '#http/request/transport-checks.ts'
import { isCidr } from '#lib/ip-address.ts'
import type { MailSettings } from '#mail/smtp.ts'
import type { SsoSettings } from '#sso/sso-provider.ts'
import type { TracingSettings } from '#tracing/start-tracing.ts'
import type { DeliveryRules } from '#webhooks/results/record.ts'
import { readBackupPassphrase, readBackupSettings, readOperatorEmail } from './backup-settings.ts'
import { createEnvReader, type SettingReading } from './env-reader.ts'
import {
  type EnvVariables,
  findUnknownVariables,
  isServiceLinkPort,
  SERVICE_LINK_PORT_MISTAKE,
} from './setting-names.ts'
import { readSsoSettings } from './sso-settings.ts'
import { checkDatabaseUrls, isOrigin, readBucket, readRedisUrl } from './storage-settings.ts'
import { readTracingSettings } from './tracing-settings.ts'

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
  /** The Redis server of shared rate limits; undefined: in PostgreSQL, or each process alone. */
  redisUrl: string | undefined
  /** The database URL for LISTEN, which a pooler may not support; undefined: `databaseUrl`. */
  databaseListenUrl: string | undefined
  /** The URL of a read replica; undefined: there is none. */
  databaseReplicaUrl: string | undefined
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
  /** The directory for a person's own files, such as the sign-in of the command line (XDG). */
  personalDir: string
  /** The API key and the server of `docket api`, for scripts that cannot sign in; undefined: not set. */
  client: { key: string | undefined; url: string | undefined }
  /** Settings of tracing; undefined: no traces are recorded. */
  traces: TracingSettings | undefined
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
  const { text, textOrDefault, integer, integers, flag, oneOf, list, mistakes } = reader
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
  const s3 = readBucket(text, mistakes)
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
    dataDir: textOrDefault('DOCKET_DATA_DIR', './data'),
    secret: text('DOCKET_SECRET'),
    databaseUrl: text('DOCKET_DATABASE_URL'),
    databaseWaitSeconds: integer('DOCKET_DATABASE_WAIT', 60, 0, 86_400),
    migrateToUrl: text('DOCKET_MIGRATE_TO'),
    processes,
    redisUrl: readRedisUrl(text('DOCKET_REDIS_URL'), mistakes),
    databaseListenUrl: text('DOCKET_DATABASE_LISTEN_URL'),
    databaseReplicaUrl: text('DOCKET_DATABASE_REPLICA_URL'),
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
    personalDir: readPersonalDir(text),
    client: { key: env.DOCKET_KEY || undefined, url: env.DOCKET_URL || undefined },
    traces: readTracingSettings(text, flag('DOCKET_TRUST_TRACEPARENT', false), mistakes),
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

/** Ignores a relative path, as the XDG specification demands. */
function readPersonalDir(text: (name: string) => string | undefined): string {
  const dir = text('XDG_CONFIG_HOME') ?? ''
  return isAbsolute(dir) ? dir : join(text('HOME') ?? findHome(), '.config')
}

/** In a container the user id may have no account, and `homedir` throws; a server needs no home. */
function findHome(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}

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
