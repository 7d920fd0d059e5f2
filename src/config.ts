import type { Settings } from '#core/settings.ts'
import { isLoopback } from '#http/arrival.ts'
import { isNetwork } from '#lib/address.ts'
import { readSettings } from './settings.ts'

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
  demo: boolean
  limits: { free: number; paid: number; unauthenticated: number }
  defaultPlan: 'free' | 'paid'
  eventRetentionDays: number
  /** What operations look at. */
  settings: Settings
  trustProxy: number
  metricsToken: string | undefined
  /** `auto`: info, but warn on a terminal, where a person reads. */
  logLevel: 'auto' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Seconds for which a stopping server keeps accepting, so that a balancer can turn away. */
  drainSeconds: number
}

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
  const { text, whole, flag, word, list, mistakes } = readSettings(env)
  const host = text('DOCKET_HOST') ?? '127.0.0.1'
  const port = whole('DOCKET_PORT', 4000, 0, 65_535)
  const base = baseUrl(text('DOCKET_BASE_URL'), host, port, mistakes)
  const loopback = isLoopback(host) && isLoopback(URL.parse(base)?.host)
  const limits = {
    free: whole('DOCKET_LIMIT_FREE', 500, 1, 1e9),
    paid: whole('DOCKET_LIMIT_PAID', 5_000, 1, 1e9),
    unauthenticated: whole('DOCKET_UNAUTHENTICATED_LIMIT', 600, 1, 1e9),
  }
  const config: Config = {
    host,
    port,
    baseUrl: base,
    loopback,
    dataDir: text('DOCKET_DATA_DIR') ?? './data',
    secret: text('DOCKET_SECRET'),
    databaseUrl: text('DOCKET_DATABASE_URL'),
    demo: flag('DOCKET_DEMO', true),
    limits,
    defaultPlan: word('DOCKET_DEFAULT_PLAN', ['free', 'paid'], 'free'),
    eventRetentionDays: whole('DOCKET_EVENT_RETENTION_DAYS', 30, 1, 36_500),
    settings: {
      trashDays: whole('DOCKET_TRASH_DAYS', 30, 1, 36_500),
      requestsPerMinute: { free: limits.free, paid: limits.paid },
      webhookTargets: {
        allowHttp: flag('DOCKET_WEBHOOK_ALLOW_HTTP', false),
        networks: list('DOCKET_WEBHOOK_ALLOWED_CIDRS', isNetwork, 'networks such as 10.1.0.0/16'),
        loopback,
      },
    },
    trustProxy: whole('DOCKET_TRUST_PROXY', 0, 0, 16),
    metricsToken: text('DOCKET_METRICS_TOKEN'),
    logLevel: word('DOCKET_LOG_LEVEL', LEVELS, 'auto'),
    drainSeconds: whole('DOCKET_DRAIN_SECONDS', 1, 0, 20),
  }
  if (config.databaseUrl && !/^postgres(ql)?:\/\//.test(config.databaseUrl)) {
    mistakes.push('DOCKET_DATABASE_URL must begin with postgres://')
  }
  if (config.secret !== undefined && config.secret.length < 16) {
    mistakes.push('DOCKET_SECRET must have at least 16 characters')
  }
  if (mistakes.length > 0) throw new Misconfigured(mistakes)
  return config
}

function baseUrl(given: string | undefined, host: string, port: number, mistakes: string[]) {
  const name = ['0.0.0.0', '::', '[::]'].includes(host) ? 'localhost' : host
  const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  if (given === undefined) return `http://${bracketed}:${port}`
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url && /^https?:$/.test(url.protocol) && given === url.origin) return given
  const must =
    'DOCKET_BASE_URL must be an origin such as https://docket.example.com, without a path'
  mistakes.push(`${must}, not "${given}"`)
  return given
}
