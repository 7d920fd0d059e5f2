import type { ErrorCode } from '#wire/error-code.ts'
import { type FieldError, type FieldErrorCode, fieldError } from '#wire/field-error.ts'

const TYPE_BY_STATUS: Record<number, string> = {
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
 * An error that the client can understand and act on: the only class of expected errors
 * (docs/spec/api.md#errors). Anything else that is thrown is a defect of Docket and becomes a 500.
 *
 * The code is one of our own, unless the error is passed on from another server or another error:
 * `new ApiError<string>(…)`.
 */
export class ApiError<Code extends string = ErrorCode> extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly FieldError[]
  readonly headers: Record<string, string>
  /** Of `insufficient_scope`: the scope that the credential lacks. */
  readonly requiredScope: string | undefined

  /** The error type that belongs to the status (docs/spec/api.md#types-and-codes). */
  get type(): string {
    return TYPE_BY_STATUS[this.status] ?? 'invalid_request'
  }

  constructor(
    status: number,
    code: NoInfer<Code>,
    message: string,
    more: {
      details?: readonly FieldError[]
      headers?: Record<string, string>
      requiredScope?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.status = status
    this.code = code
    this.details = more.details ?? []
    this.headers = more.headers ?? {}
    this.requiredScope = more.requiredScope
  }
}

/**
 * The same answer for ids that are malformed, unknown, deleted, of another workspace or invisible
 * to the actor, so that it does not reveal which records exist (docs/spec/api.md#identifiers).
 */
export const notFound = () =>
  new ApiError(404, 'not_found', 'No record with this id exists, or you do not have access to it.')

export const conflict = (code: ErrorCode, message: string, details: FieldError[] = []) =>
  new ApiError(409, code, message, { details })

/** A conflict with another record that the actor sees, which the error identifies. */
export const conflictWith = (code: ErrorCode, message: string, resource_id: string) =>
  conflict(code, message, [{ field: '', code, message, resource_id }])

/** Which of all limits is reached is a code of its own, because the reply to it is another. */
const storageFull = (message: string) =>
  conflict('limit_reached', message, [{ field: '', code: 'storage_full', message }])

/** The files of the workspace have used up its quota (docs/spec/api.md#types-and-codes). */
export const workspaceStorageFull = () =>
  storageFull('The workspace has no storage left for this file. Delete attachments first.')

/** The workspace stores as much as it may (docs/spec/api.md#storage-of-a-workspace). */
export const workspaceFull = (limit: number) =>
  storageFull(
    `The workspace has used its ${toMebibytes(limit)} of storage. Delete attachments, tasks and comments, and wait until the trash is emptied, or ask your operator for more.`,
  )

/** How many bytes of texts and events one request may write, however small it is itself. */
export const MAX_WRITTEN_BYTES = 16 * 1024 * 1024

/** A request would write more than that, such as a copy of a tree of long texts. */
export const writeTooLarge = () =>
  conflict(
    'limit_reached',
    `One request can write at most ${toMebibytes(MAX_WRITTEN_BYTES)} of texts and events. Send requests for fewer tasks.`,
  )

const toMebibytes = (bytes: number): string =>
  bytes >= 1024 ** 3
    ? `${Math.round(bytes / 1024 ** 3)} GiB`
    : `${Math.round(bytes / 1024 ** 2)} MiB`

/** The record is in another revision than the request demands. */
export const versionMismatch = () =>
  new ApiError(
    412,
    'version_mismatch',
    'The record has changed since you read it. Read it again, then repeat your change.',
  )

/** The actor sees the record, but its role or authorship does not allow the action. */
export const insufficientRole = (message: string) => new ApiError(403, 'insufficient_role', message)

export const insufficientScope = (scope: string) =>
  new ApiError(403, 'insufficient_scope', `This request requires the scope \`${scope}\`.`, {
    requiredScope: scope,
    details: [
      {
        field: scope,
        code: 'insufficient_scope',
        message: `The credential does not have the scope \`${scope}\`.`,
      },
    ],
  })

/** The error of a query parameter. `why` completes the sentence after its name. */
export function invalidParameter(field: string, why: string): ApiError {
  const detail = fieldError(field, 'invalid_value', why, 'query')
  return new ApiError(400, 'invalid_parameter', detail.message, { details: [detail] })
}

/**
 * The error of a cursor, or the position of a feed, that cannot be continued from. `why` completes the
 * sentence.
 */
export function invalidCursor(why: string, field = 'cursor'): ApiError {
  const detail = fieldError(field, 'invalid_value', why, 'query')
  return new ApiError(400, 'invalid_cursor', detail.message, { details: [detail] })
}

/** The error of a header. `why` completes the sentence after its name. */
export function invalidHeader(name: string, code: FieldErrorCode, why: string): ApiError {
  const detail = fieldError(name, code, why, 'header')
  return new ApiError(400, 'invalid_header', detail.message, { details: [detail] })
}

/** The event requested in `field` is no longer in the log; `oldest` is the first that is. */
export const eventsExpired = (field: string, oldest: number) => {
  const code = 'events_expired'
  const message = `The oldest event that is still available has the sequence ${oldest}.`
  return new ApiError(410, code, `Some of these events have been deleted. ${message}`, {
    details: [{ field, code, message }],
  })
}

/** The feed of changes cannot go on after a position. `why` completes the sentence. */
export function positionExpired(why: string): ApiError {
  const message = `The position ${why}. Begin again without \`after\`.`
  return new ApiError(410, 'position_expired', message, {
    details: [{ field: 'after', code: 'position_expired', message }],
  })
}

/**
 * Why a sequence after the newest event is rejected, for the message of its field. Waiting for it in
 * silence would leave a follower without events after its database was restored to an earlier state.
 */
export const beyondNewestEvent = (newest: number) =>
  newest === 0
    ? 'is beyond the end of the event log, which has no events yet: its newest sequence is 0'
    : `must be at most ${newest}, the sequence of the newest event`

/** One error for all invalid fields. */
export const validationFailed = (...errors: FieldError[]) =>
  new ApiError(422, 'validation_failed', summarizeErrors(errors), { details: errors })

/** The message of an error with details: the first of them, and how many more there are. */
export function summarizeErrors([first, ...others]: readonly FieldError[]): string {
  if (!first || others.length === 0) return first?.message ?? ''
  const count = others.length === 1 ? '1 more error' : `${others.length} more errors`
  return `${first.message} See \`details\` for ${count}.`
}

/** All messages of an error in one text, for places that show no details. */
export const joinMessages = ({ code, message, details }: ApiError): string =>
  code === 'validation_failed' ? details.map((detail) => detail.message).join(' ') : message

/** Throws if there are field errors. */
export function assertNoFieldErrors(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw validationFailed(...errors)
}

/**
 * The storage cannot answer now; it may be unknown whether a write was committed (docs/spec/api.md#types-and-codes).
 */
export const serviceUnavailable = (message: string, cause?: unknown) =>
  new ApiError(503, 'unavailable', message, { headers: { 'retry-after': '1' }, cause })
