import type { RequestLogEntry } from '#core/request-log.ts'
import type { ErrorCode } from '#wire/error-code.ts'
import {
  CHECK_NAMES,
  type RequestCheck,
  type RequestCheckName,
  type RequestDetails,
} from './contract.ts'

/** The check that refuses with a code; all other codes are of the state of records. */
const CHECK_BY_CODE: ReadonlyMap<string, RequestCheckName> = new Map<ErrorCode, RequestCheckName>([
  ['authentication_required', 'credential'],
  ['invalid_token', 'credential'],
  ['token_expired', 'credential'],
  ['csrf_rejected', 'origin'],
  ['session_changed', 'origin'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['key_rate_limited', 'rate_limit'],
  ['credential_paused', 'scope'],
  ['session_required', 'scope'],
  ['insufficient_scope', 'scope'],
  ['workspace_deleted', 'scope'],
  ['second_factor_missing', 'scope'],
  ['sign_in_again', 'scope'],
  ['unsupported_media_type', 'body'],
  ['payload_too_large', 'body'],
  ['invalid_json', 'body'],
  ['request_timeout', 'body'],
  ['invalid_parameter', 'parameters'],
  ['invalid_cursor', 'parameters'],
  ['invalid_header', 'parameters'],
  ['too_many_attempts', 'action_limit'],
  ['idempotency_key_reused', 'idempotency'],
  ['not_found', 'record'],
  ['operation_expired', 'record'],
  ['insufficient_role', 'role'],
  ['version_mismatch', 'precondition'],
  ['validation_failed', 'fields'],
])

/** The checks of a request with their outcomes, derived from how it ended. */
export function checksOf(entry: RequestLogEntry): RequestCheck[] {
  if (hasUnknownEnd(entry)) {
    // The headers of the limit are set as soon as the request has passed it.
    const known = Number.isNaN(entry.limit) ? 'credential' : 'rate_limit'
    return outcomesAround(known, 'passed', 'unknown')
  }
  if (entry.isReplayed) return outcomesAround('idempotency', 'replayed', 'not_reached')
  if (entry.status < 400) return outcomesAround('state', 'passed', 'not_reached')
  return outcomesAround(refusingCheckOf(entry), 'refused', 'not_reached')
}

/** What the `Idempotency-Key` of a request did. */
export function idempotencyOf(entry: RequestLogEntry): RequestDetails['idempotency'] {
  if (!entry.hasIdempotencyKey) return 'none'
  if (entry.isReplayed) return 'replayed'
  if (entry.error_code === 'idempotency_key_reused') return 'reused'
  const { outcome } = checksOf(entry).find(({ name }) => name === 'idempotency') ?? {}
  return outcome === 'passed' ? 'first' : 'not_reached'
}

/** A client that left, or a server that failed, ends a request at no check. */
const hasUnknownEnd = ({ status, error_code }: RequestLogEntry): boolean =>
  status >= 500 || (status >= 400 && error_code === undefined)

const refusingCheckOf = ({ error_code = '' }: RequestLogEntry): RequestCheckName =>
  CHECK_BY_CODE.get(error_code) ?? 'state'

/** The checks before `name` have passed; it has `outcome`, and those behind it have `after`. */
function outcomesAround(
  name: RequestCheckName,
  outcome: RequestCheck['outcome'],
  after: RequestCheck['outcome'],
): RequestCheck[] {
  const end = CHECK_NAMES.indexOf(name)
  return CHECK_NAMES.map((one, at) => ({
    name: one,
    outcome: at < end ? 'passed' : at === end ? outcome : after,
  }))
}
