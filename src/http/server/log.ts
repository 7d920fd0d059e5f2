import pino from 'pino'

/** Writes one JSON object a line. Callers never log secrets; redaction is the second defence. */
export interface Logger extends pino.Logger {
  /** Writes text that is JSON already, without redaction. */
  line(text: string): void
  flushNow(): void
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

const REDACTED_FIELDS = ['authorization', 'cookie', 'password', 'secret', 'token', 'api_key']

/** Lines are buffered, because one write per request would be expensive. */
export function openLog(level: (typeof LOG_LEVELS)[number], fd = 1): Logger {
  const destination = pino.destination({ fd, sync: false, minLength: 12_288, periodicFlush: 500 })
  const redact = REDACTED_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  const log = pino(
    { level, base: null, redact, timestamp: pino.stdTimeFunctions.isoTime },
    destination,
  )
  return Object.assign(log, {
    line: (text: string) => void destination.write(`${text}\n`),
    flushNow: () => destination.flushSync(),
  })
}
