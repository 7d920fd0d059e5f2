import pino from 'pino'
import { createProblemLog, describeOperatorError } from './operator-errors.ts'

/** Writes one JSON object a line. Callers never log secrets; redaction is the second defence. */
export interface Logger extends pino.Logger {
  /** Writes text that is JSON already, without redaction. */
  line(text: string): void
  flushNow(): void
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** How many code units of lines are collected before they are written, and for how long. */
const MAX_LINES_LENGTH = 32_768
const MAX_LINE_DELAY_MS = 250

const REDACTED_FIELDS = ['authorization', 'cookie', 'password', 'secret', 'token', 'api_key']

/**
 * Lines are buffered, and those of requests are collected first: each write wakes another thread, which
 * costs as much as serving a request. Errors that an operator has to mend, such as a full disk, become one line with
 * the remedy; `dataDir` is their place.
 */
export function openLog(
  level: (typeof LOG_LEVELS)[number],
  fd = 1,
  dataDir: string | undefined = undefined,
): Logger {
  const destination = pino.destination({ fd, sync: false, minLength: 12_288 })
  const redact = REDACTED_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  const logProblem = createProblemLog((fields, message) => log.info(fields, message))
  const log = pino(
    {
      level,
      base: null,
      redact,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, method) {
          // What is logged now comes after the requests that have ended before it.
          writeLines()
          const [fields] = args
          const problem =
            dataDir === undefined ? undefined : describeOperatorError(errorIn(fields), dataDir)
          scheduleWrite()
          if (!problem) return method.apply(this, args)
          logProblem(problem, (counts, message) => method.call(this, counts, message))
        },
      },
    },
    destination,
  )
  let lines = ''
  const writeLines = () => {
    if (lines !== '') destination.write(lines)
    lines = ''
  }
  // That of pino would write nothing four times a second on an idle server.
  let timer: NodeJS.Timeout | undefined
  let hasNewLines = false
  const startTimer = () => {
    if (!timer) timer = setTimeout(flush, MAX_LINE_DELAY_MS).unref()
  }
  const flush = () => {
    timer = undefined
    writeLines()
    destination.flush()
  }
  const scheduleWrite = () => {
    hasNewLines = true
    startTimer()
  }
  // What is logged while the destination writes is not flushed, and stays in its buffer.
  destination.on('drain', () => {
    if (hasNewLines) startTimer()
    hasNewLines = false
  })
  return Object.assign(log, {
    line(text: string) {
      scheduleWrite()
      lines += `${text}\n`
      if (lines.length >= MAX_LINES_LENGTH) writeLines()
    },
    flushNow() {
      writeLines()
      destination.flushSync()
    },
  })
}

const errorIn = (fields: unknown): unknown =>
  typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : undefined
