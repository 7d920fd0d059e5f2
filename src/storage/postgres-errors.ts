import { unavailable } from '#core/refusal.ts'
import type { Meaning } from './group-commit.ts'

/**
 * Serialisation failure, deadlock, and a prepared statement that a pooler does not know (`prepared`):
 * nothing was done, and doing it again may succeed.
 */
const AGAIN = new Set(['40001', '40P01', '26000', '42P05'])
/** Cancelled by its time-out, or a lock not to be had in time: the statement alone failed. */
const NO_LOCK = '55P03'
const TOO_LONG = new Set(['57014', NO_LOCK])
/** Connections lost or refused, the server starting, stopping, full or out of resources. */
const GONE = /^(08|53|57P|58|XX|25P0[23]|25006)/

/** The code of an error of the server, or of the system. */
export const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return String(error.code)
}

const isOfServer = (error: unknown): boolean => error instanceof Error && 'severity' in error

/** The server ends the connection with this error, or never opens it. */
const isFatal = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && /^(FATAL|PANIC)$/.test(String(error.severity))

/** What an error means for the transaction in which it came. */
export function meaningOf(error: unknown): Meaning {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = codeOf(cause) ?? ''
  if (AGAIN.has(code)) return 'again'
  if (isOfServer(cause)) return GONE.test(code) || isFatal(cause) ? 'lost' : 'statement'
  return isOfLink(cause) ? 'lost' : 'statement'
}

/** A lock that was not to be had in time, or only by a deadlock: nothing was done. */
export const isContended = (error: unknown): boolean => {
  const code = codeOf(error) ?? ''
  return AGAIN.has(code) || code === NO_LOCK
}

/** What node-postgres and the socket throw when there is no server to talk to. */
const isOfLink = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)/.test(codeOf(error) ?? '') ||
    /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (was closed|has encountered)|not queryable/.test(
      error.message,
    ))

/** The error to throw in place of one that says that the server cannot answer now. */
export function translated(error: unknown): unknown {
  const code = codeOf(error) ?? ''
  if (TOO_LONG.has(code)) return unavailable('The database took too long.', error)
  const lost = isOfServer(error) ? GONE.test(code) || isFatal(error) : isOfLink(error)
  return lost ? unavailable('The database cannot be reached now.', error) : error
}
