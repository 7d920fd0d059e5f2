import type { Fault } from '#wire/fault.ts'

const TYPES: Record<number, string> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'rate_limited',
  500: 'internal',
  503: 'unavailable',
}

/**
 * A no that the caller can understand and act on: the one class of expected error (contract 2).
 * Anything else that is thrown is a fault of ours and becomes a 500.
 */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly Fault[]
  readonly headers: Record<string, string>

  /** The kind of refusal that goes with the status (contract 2.2). */
  get type(): string {
    return TYPES[this.status] ?? 'invalid_request'
  }

  constructor(
    status: number,
    code: string,
    message: string,
    more: { details?: readonly Fault[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.status = status
    this.code = code
    this.details = more.details ?? []
    this.headers = more.headers ?? {}
  }
}

/** The one answer for what is malformed, unknown, deleted, another's or not to be seen (contract 1.5). */
export const notFound = () =>
  new Refusal(404, 'not_found', 'There is no such record, or you may not see it.')

export const conflict = (code: string, message: string, details: Fault[] = []) =>
  new Refusal(409, code, message, { details })

/** The files of a workspace may have no more bytes (contract 2.2); told as early as it is known. */
export const workspaceFull = () =>
  conflict('limit_reached', 'The files of this workspace have no room for it.')

/** The record is visible, but the person's role or authorship does not allow the action. */
export const insufficientRole = (message: string) => new Refusal(403, 'insufficient_role', message)

export const insufficientScope = (scope: string) =>
  new Refusal(403, 'insufficient_scope', `This credential lacks the scope ${scope}.`, {
    details: [{ field: scope, code: 'insufficient_scope', message: `It needs ${scope}.` }],
  })

export const invalidParameter = (field: string, message: string) =>
  new Refusal(400, 'invalid_parameter', message, {
    details: [{ field, code: 'invalid_value', message }],
  })

/** The log does not go back so far as `field` asks; `oldest` is the first event that it has. */
export const eventsExpired = (field: string, oldest: number) => {
  const code = 'events_expired'
  const message = `Events before ${oldest} are gone: it is the oldest that is kept.`
  return new Refusal(410, code, 'Some of the events asked for are no longer kept.', {
    details: [{ field, code, message }],
  })
}

/** Fields that cannot be processed: all of them together. */
export const invalid = (...faults: Fault[]) =>
  new Refusal(422, 'validation_failed', faults.map(({ message }) => message).join(' '), {
    details: faults,
  })

/** Throws when there is a fault. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalid(...faults)
}

/** Storage cannot answer now; the outcome of a write may be unknown (contract 2.2). */
export const unavailable = (message: string, cause?: unknown) =>
  new Refusal(503, 'unavailable', message, { headers: { 'retry-after': '1' }, cause })
