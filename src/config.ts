import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { CompanySettings } from '#company/open.ts'
import type { Settings } from '#core/settings.ts'
import type { Rules } from '#delivery/record.ts'
import type { S3 } from '#files/s3.ts'
import { isLoopback } from '#http/arrival.ts'
import { isNetwork } from '#lib/address.ts'
import type { MailSettings } from '#mail/open.ts'
import type { TraceSettings } from '#traces/open.ts'
import { companySettings } from './company-settings.ts'
import { readSettings } from './settings.ts'
import { traceSettings } from './trace-settings.ts'

/** The contract's own schedule of attempts (8.5). */
const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
const LEVELS = ['auto', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** Everything that an operator can set, read once (contract 10.1). */
export interface Config {
  host: string
  port: number
  baseUrl: string
  /** Whether base URL and listening address are both of this machine only. */
  loopback: boolean
  dataDir: string
  /** The secret of the installation; undefined: the one generated in the data directory. */
  secret: string | undefined
  databaseUrl: string | undefined
  /** Where `migrate-to` moves the data, if the command line does not say it. */
  moveTo: string | undefined
  /** How many processes share the port: more than one only on PostgreSQL. */
  processes: number
  /** Where processes count limits together; undefined: in the database, or each alone. */
  redisUrl: string | undefined
  /** Its address for LISTEN, which a pooler may not pass on; undefined: the same. */
  databaseListenUrl: string | undefined
  /** The address of a standby that may read; undefined: there is none. */
  databaseReplicaUrl: string | undefined
  /** The bucket of the files; undefined: they lie in the data directory. */
  s3: S3 | undefined
  maxAttachmentBytes: number
  demo: boolean
  /** Who may sign up, once there is an account. */
  signup: 'open' | 'invite'
  /** The company's own sign-in; undefined: there is none. */
  company: CompanySettings | undefined
  /** Whether applications may register themselves (RFC 7591). */
  oauthRegistration: boolean
  /** Undefined: no mail is sent. */
  mail: MailSettings | undefined
  limits: { free: number; paid: number; unauthenticated: number }
  defaultPlan: 'free' | 'paid'
  eventRetentionDays: number
  auditRetentionDays: number
  /** What operations look at. */
  settings: Settings
  webhooks: Rules & { timeoutSeconds: number }
  trustProxy: number
  metricsToken: string | undefined
  /** How this installation is called on its own page. */
  name: string
  /** Whether `/` is a page for who is not signed in, or leads to the sign-in. */
  landing: boolean
  /** `auto`: info, but warn on a terminal, where a person reads. */
  logLevel: 'auto' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Seconds for which a stopping server keeps accepting, so that a balancer can turn away. */
  drainSeconds: number
  /** Where programs keep what is the person's own who runs them, such as a sign-in (XDG). */
  personalDir: string
  /** Where traces go; undefined: none are taken. */
  traces: TraceSettings | undefined
}

const DATABASES = [
  'DOCKET_DATABASE_URL',
  'DOCKET_DATABASE_LISTEN_URL',
  'DOCKET_DATABASE_REPLICA_URL',
]

/** All that is wrong with the environment, a line each. */
export class Misconfigured extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`Wrong settings:\n  ${mistakes.join('\n  ')}`)
    this.mistakes = mistakes
  }
}

/** The only reader of the environment. Says everything that is wrong with it at once. */
export function configFrom(env: Record<string, string | undefined>): Config {
  const { text, whole, wholes, flag, word, list, mistakes } = readSettings(env)
  const host = text('DOCKET_HOST') ?? '127.0.0.1'
  const port = whole('DOCKET_PORT', 4000, 0, 65_535)
  const base = baseUrl(text('DOCKET_BASE_URL'), host, port, mistakes)
  const loopback = isLoopback(host) && isLoopback(URL.parse(base)?.host)
  const limits = {
    free: whole('DOCKET_LIMIT_FREE', 500, 1, 1e9),
    paid: whole('DOCKET_LIMIT_PAID', 5_000, 1, 1e9),
    unauthenticated: whole('DOCKET_UNAUTHENTICATED_LIMIT', 600, 1, 1e9),
  }
  const maxAttachmentBytes = whole('DOCKET_MAX_ATTACHMENT_BYTES', 104_857_600, 1, 1e11)
  const signup = word('DOCKET_SIGNUP', ['open', 'invite'], 'invite')
  const mailing = mail(text, mistakes)
  const processes = whole('DOCKET_PROCESSES', 1, 1, 64)
  if (processes > 1 && text('DOCKET_DATABASE_URL') === undefined) {
    mistakes.push(
      'DOCKET_PROCESSES above 1 needs DOCKET_DATABASE_URL: on SQLite one process serves, on PostgreSQL many can',
    )
  }
  const config: Config = {
    host,
    port,
    baseUrl: base,
    loopback,
    dataDir: text('DOCKET_DATA_DIR') ?? './data',
    secret: text('DOCKET_SECRET'),
    databaseUrl: text('DOCKET_DATABASE_URL'),
    moveTo: text('DOCKET_MOVE_TO'),
    processes,
    redisUrl: redis(text('DOCKET_REDIS_URL'), mistakes),
    databaseListenUrl: text('DOCKET_DATABASE_LISTEN_URL'),
    databaseReplicaUrl: text('DOCKET_DATABASE_REPLICA_URL'),
    s3: bucket(text, mistakes),
    maxAttachmentBytes,
    demo: flag('DOCKET_DEMO', true),
    signup,
    company: companySettings({ text, word, flag, list, mistakes }),
    oauthRegistration: flag('DOCKET_OAUTH_REGISTRATION', false),
    mail: mailing,
    limits,
    defaultPlan: word('DOCKET_DEFAULT_PLAN', ['free', 'paid'], 'free'),
    eventRetentionDays: whole('DOCKET_EVENT_RETENTION_DAYS', 30, 1, 36_500),
    auditRetentionDays: whole('DOCKET_AUDIT_RETENTION_DAYS', 400, 1, 36_500),
    settings: {
      trashDays: whole('DOCKET_TRASH_DAYS', 30, 1, 36_500),
      requestsPerMinute: { free: limits.free, paid: limits.paid },
      planLocked: flag('DOCKET_PLAN_LOCKED', false),
      web: {
        max_attachment_bytes: maxAttachmentBytes,
        signup,
        mail: mailing !== undefined,
      },
      webhookTargets: {
        allowHttp: flag('DOCKET_WEBHOOK_ALLOW_HTTP', false),
        networks: list('DOCKET_WEBHOOK_ALLOWED_CIDRS', isNetwork, 'networks such as 10.1.0.0/16'),
        loopback,
      },
      workspaceAttachmentBytes: whole(
        'DOCKET_WORKSPACE_ATTACHMENT_BYTES',
        Number.POSITIVE_INFINITY,
        1,
        999_999_999_999,
      ),
    },
    webhooks: {
      retrySeconds: wholes('DOCKET_WEBHOOK_RETRY_SECONDS', RETRY_SECONDS, 604_800),
      timeoutSeconds: whole('DOCKET_WEBHOOK_TIMEOUT_SECONDS', 10, 1, 60),
      disableAfterSeconds: whole('DOCKET_WEBHOOK_DISABLE_AFTER_SECONDS', 259_200, 0, 1e9),
      disableAfterAttempts: whole('DOCKET_WEBHOOK_DISABLE_AFTER_ATTEMPTS', 20, 1, 1e9),
    },
    trustProxy: whole('DOCKET_TRUST_PROXY', 0, 0, 16),
    metricsToken: text('DOCKET_METRICS_TOKEN'),
    name: text('DOCKET_NAME') ?? 'Docket',
    landing: word('DOCKET_LANDING', ['on', 'off'], 'on') === 'on',
    logLevel: word('DOCKET_LOG_LEVEL', LEVELS, 'auto'),
    drainSeconds: whole('DOCKET_DRAIN_SECONDS', 1, 0, 20),
    personalDir: personalDir(text),
    traces: traceSettings(text, flag('DOCKET_TRUST_TRACEPARENT', false), mistakes),
  }
  for (const name of DATABASES) {
    if (!/^postgres(ql)?:\/\//.test(text(name) ?? 'postgres://')) {
      mistakes.push(`${name} must begin with postgres://`)
    }
    if (/^postgres(ql)?:\/\/([^/]*@)?[^/@]*,[^/@]*(\/|$)/.test(text(name) ?? '')) {
      mistakes.push(`${name} must name one host: node-postgres knows no list of them`)
    }
  }
  if (config.databaseReplicaUrl !== undefined && config.databaseUrl === undefined) {
    mistakes.push('DOCKET_DATABASE_REPLICA_URL needs DOCKET_DATABASE_URL, whose standby it is')
  }
  if (config.secret !== undefined && config.secret.length < 16) {
    mistakes.push('DOCKET_SECRET must have at least 16 characters')
  }
  if (mistakes.length > 0) throw new Misconfigured(mistakes)
  return config
}

/** The server for mails and whom they come from: both, or none. Its address holds a password. */
function mail(text: (name: string) => string | undefined, mistakes: string[]) {
  const [url, from] = [text('DOCKET_SMTP_URL'), text('DOCKET_MAIL_FROM')]
  if (url === undefined && from === undefined) return undefined
  const { protocol = '', hostname = '' } = URL.parse(url ?? '') ?? {}
  if (!/^smtps?:$/.test(protocol) || hostname === '') {
    const example = 'smtp://user:password@mail.example.com:587'
    mistakes.push(
      `DOCKET_SMTP_URL must be an address such as ${example}; DOCKET_MAIL_FROM needs it`,
    )
  }
  if (!/^(?:[^<>@\p{Cc}]+ <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u.test(from ?? '')) {
    const example = 'Docket <docket@example.com>'
    mistakes.push(
      `DOCKET_MAIL_FROM must be an address such as ${example}; DOCKET_SMTP_URL needs it`,
    )
  }
  return { url: url ?? '', from: from ?? '' }
}

const S3_SETTINGS = ['ENDPOINT', 'BUCKET', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']

/** All five settings of a bucket, or none. */
function bucket(text: (name: string) => string | undefined, mistakes: string[]): S3 | undefined {
  const given = S3_SETTINGS.map((name) => text(`DOCKET_S3_${name}`))
  if (given.every((value) => value === undefined)) return undefined
  for (const [at, value] of given.entries()) {
    if (value === undefined) {
      mistakes.push(`DOCKET_S3_${S3_SETTINGS[at]} is missing: set all five of DOCKET_S3_, or none`)
    }
  }
  const [endpoint = '', bucket = '', region = '', accessKeyId = '', secretAccessKey = ''] = given
  if (endpoint && !isOrigin(endpoint)) {
    mistakes.push(
      `DOCKET_S3_ENDPOINT must be an origin such as https://s3.example.com, not "${endpoint}"`,
    )
  }
  if (bucket && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    mistakes.push(`DOCKET_S3_BUCKET must be the name of a bucket, not "${bucket}"`)
  }
  return { endpoint, bucket, region, accessKeyId, secretAccessKey }
}

/** One that is not absolute counts for nothing, as the XDG specification wants it. */
function personalDir(text: (name: string) => string | undefined): string {
  const given = text('XDG_CONFIG_HOME') ?? ''
  return isAbsolute(given) ? given : join(text('HOME') ?? home(), '.config')
}

/** In a container nobody may be known by the number of the user; a server needs no home. */
function home(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}

function redis(url: string | undefined, mistakes: string[]): string | undefined {
  const { protocol = '', hostname = '' } = URL.parse(url ?? '') ?? {}
  if (url !== undefined && (!/^rediss?:$/.test(protocol) || hostname === '')) {
    mistakes.push('DOCKET_REDIS_URL must begin with redis:// or rediss:// and name a host')
  }
  return url
}

function baseUrl(given: string | undefined, host: string, port: number, mistakes: string[]) {
  const name = ['0.0.0.0', '::', '[::]'].includes(host) ? 'localhost' : host
  const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  if (given === undefined) return `http://${bracketed}:${port}`
  if (isOrigin(given)) return given
  const must =
    'DOCKET_BASE_URL must be an origin such as https://docket.example.com, without a path'
  mistakes.push(`${must}, not "${given}"`)
  return given
}

/** Whether an address is that of a server alone: no path, no slash at its end. */
function isOrigin(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && address === url.origin
}
