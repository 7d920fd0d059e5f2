import type { SettingReader } from '#core/setting-reader.ts'
import { checkSampleText } from '#db/installation/store-settings.ts'
import { isLoopback, isOrigin } from '#lib/web-origin.ts'

const LOG_LEVELS = ['auto', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** How the server is reached. */
export interface HttpSettings {
  host: string
  port: number
  /** Origin of all absolute URLs, without a trailing slash. */
  baseUrl: string
  /** Whether both base URL and listening address are loopback addresses. */
  loopback: boolean
  /** The number of proxies whose X-Forwarded-For is trusted. */
  trustProxy: number
  /** Seconds in which a stopping server still accepts, so that a load balancer can remove it. */
  drainSeconds: number
}

/** What a process reports of itself. */
export interface LogSettings {
  /** `auto`: info, but warn on a terminal. */
  level: (typeof LOG_LEVELS)[number]
  /** Whether the log has the IP addresses of clients. */
  hasAddresses: boolean
  /** Whether each entry of the audit log is also written to the log. */
  hasAuditEntries: boolean
  /** Lets other machines read the metrics. */
  metricsToken: string | undefined
}

/** Reads how the server is reached. */
export function readHttpSettings(reader: SettingReader): HttpSettings {
  const { textOrDefault, integer } = reader
  const host = textOrDefault('DOCKET_HOST', '127.0.0.1')
  const port = integer('DOCKET_PORT', 4000, 0, 65_535)
  const baseUrl = readBaseUrl(reader, host, port)
  return {
    host,
    port,
    baseUrl,
    loopback: isLoopback(host) && isLoopback(URL.parse(baseUrl)?.host),
    trustProxy: integer('DOCKET_TRUST_PROXY', 0, 0, 16),
    drainSeconds: integer('DOCKET_DRAIN_SECONDS', 1, 0, 20),
  }
}

/** Reads what a process reports of itself. */
export function readLogSettings({ secret, flag, oneOf, mistakes }: SettingReader): LogSettings {
  const metricsToken = secret('DOCKET_METRICS_TOKEN')
  checkSampleText('DOCKET_METRICS_TOKEN', metricsToken, mistakes)
  return {
    level: oneOf('DOCKET_LOG_LEVEL', LOG_LEVELS, 'auto'),
    hasAddresses: flag('DOCKET_LOG_ADDRESSES', true),
    hasAuditEntries: flag('DOCKET_AUDIT_LOG', false),
    metricsToken,
  }
}

/** The public URL, which by default follows host and port. */
function readBaseUrl({ text, recordDefault, mistakes }: SettingReader, host: string, port: number) {
  const value = text('DOCKET_BASE_URL')
  if (value === undefined) {
    const name = ['0.0.0.0', '::', '[::]'].includes(host) ? 'localhost' : host
    const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
    return recordDefault('DOCKET_BASE_URL', `http://${bracketed}:${port}`)
  }
  if (!isOrigin(value)) {
    const must =
      'DOCKET_BASE_URL must be a URL without a path or trailing slash, such as https://docket.example.com'
    mistakes.push(`${must}, not "${value}"`)
  }
  return value
}
