import pino from 'pino'

/** One JSON object a line; secrets never reach it, and are struck out if they do. */
export interface Log extends pino.Logger {
  /** Writes a line that is JSON already, without a look at it. */
  line(text: string): void
  flushNow(): void
}

export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

const SECRET = ['authorization', 'cookie', 'password', 'secret', 'token', 'api_key']

/** Lines gather for a moment before they are written: a line a request must not cost a write each. */
export function openLog(level: (typeof LEVELS)[number], fd = 1): Log {
  const destination = pino.destination({ fd, sync: false, minLength: 12_288, periodicFlush: 500 })
  const redact = SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  const log = pino(
    { level, base: null, redact, timestamp: pino.stdTimeFunctions.isoTime },
    destination,
  )
  return Object.assign(log, {
    line: (text: string) => void destination.write(`${text}\n`),
    flushNow: () => destination.flushSync(),
  })
}
