import { serviceUnavailable } from '#core/api-error.ts'
import type { EngineErrorKind } from '../core/group-commit.ts'

/**
 * Serialization failure, deadlock, and a prepared statement that is unknown behind a pooler: nothing
 * was changed, and a retry may succeed.
 */
const RETRYABLE_CODES = new Set(['40001', '40P01', '26000', '42P05'])
/** Canceled by a statement or lock time-out: only the statement failed. */
const LOCK_NOT_AVAILABLE = '55P03'
const TIMEOUT_CODES = new Set(['57014', LOCK_NOT_AVAILABLE])
/** Connection lost or refused; server starting, stopping, full or out of resources. */
const CONNECTION_CODES = /^(08|53|57P|58|XX|25P0[23]|25006)/

/** The SQLSTATE of a server error, or the code of a system error. */
export const postgresErrorCode = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return String(error.code)
}

const isServerError = (error: unknown): boolean => error instanceof Error && 'severity' in error

/** Whether the server closes the connection with this error, or never opens it. */
const isFatalError = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && /^(FATAL|PANIC)$/.test(String(error.severity))

/** Classifies an error by its effect on the transaction. */
export function classifyPostgresError(error: unknown): EngineErrorKind {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = postgresErrorCode(cause) ?? ''
  if (RETRYABLE_CODES.has(code)) return 'again'
  if (isServerError(cause))
    return CONNECTION_CODES.test(code) || isFatalError(cause) ? 'lost' : 'statement'
  return isConnectionError(cause) ? 'lost' : 'statement'
}

/** Whether a lock time-out or a deadlock ended the work; nothing was changed. */
export const isLockContention = (error: unknown): boolean => {
  const code = postgresErrorCode(error) ?? ''
  return RETRYABLE_CODES.has(code) || code === LOCK_NOT_AVAILABLE
}

/** Whether node-postgres or the socket failed because the server cannot be reached. */
const isConnectionError = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(
    postgresErrorCode(error) ?? '',
  ) ||
    /Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client (was closed|has encountered)|not queryable/.test(
      error.message,
    ))

/** `3D000`: the database has not been created yet. */
const INVALID_CATALOG_NAME = '3D000'

/**
 * Whether a start may succeed a little later: the server cannot be reached, is starting or only reads,
 * or has no such database yet.
 */
export function isPostgresMissing(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = postgresErrorCode(cause) ?? ''
  if (!isServerError(cause)) return isConnectionError(cause)
  return CONNECTION_CODES.test(code) || code === INVALID_CATALOG_NAME
}

/** Replaces errors that mean that the server cannot answer now by a 503. */
export function toStorageError(error: unknown): unknown {
  const code = postgresErrorCode(error) ?? ''
  if (TIMEOUT_CODES.has(code)) return serviceUnavailable('The database took too long.', error)
  const isUnavailable = isServerError(error)
    ? CONNECTION_CODES.test(code) || isFatalError(error)
    : isConnectionError(error)
  return isUnavailable ? serviceUnavailable('The database cannot be reached now.', error) : error
}
