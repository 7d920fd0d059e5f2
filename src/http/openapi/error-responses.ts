import type { Endpoint } from '#wire/endpoint.ts'
import type { ErrorCode } from '#wire/error-code.ts'
import { ERROR_CODES } from '../api-reference/errors/error-codes.ts'
import { FIELD_ERROR_CODES } from '../api-reference/errors/field-error-codes.ts'
import type { OpenApiResponse } from '../api-reference/openapi/openapi-types.ts'
import { type HeaderName, headersNamed, RATE_LIMIT_HEADERS } from './headers.ts'

/** The name and the meaning of the error replies with each status. */
const ERROR_STATUSES: Readonly<Record<string, readonly [name: string, description: string]>> = {
  400: ['BadRequest', 'The request cannot be read.'],
  401: ['Unauthorized', 'The credential is missing or not valid.'],
  403: ['Forbidden', 'The scope of the credential, or the role of its person, does not allow it.'],
  404: ['NotFound', 'There is no such record, or you do not have access to it.'],
  409: ['Conflict', 'The state of the workspace does not allow it.'],
  410: ['Gone', 'It is no longer kept.'],
  412: ['PreconditionFailed', 'The record has changed since the version in `If-Match`.'],
  413: ['ContentTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The body does not have an accepted content type.'],
  416: ['RangeNotSatisfiable', 'The file ends before the range.'],
  422: ['UnprocessableContent', 'Fields of the body are not valid; `details` names them.'],
  429: ['TooManyRequests', 'The limit of requests is used up; `Retry-After` says for how long.'],
  500: ['InternalServerError', 'A defect of the server. Nothing was changed.'],
  503: ['ServiceUnavailable', 'The server is overloaded, or stops. Try again after `Retry-After`.'],
}

const HEADERS_BY_STATUS: Readonly<Record<string, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** A reply with this status, with what `codes` adds to its description. */
function errorResponse(status: string, codes = ''): OpenApiResponse {
  const { description } = describeErrorStatus(status)
  return {
    description: description + codes,
    headers: headersNamed([...(HEADERS_BY_STATUS[status] ?? []), ...RATE_LIMIT_HEADERS]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' } } },
  }
}

/** The name and the general description of the error replies with a status, or of `default`. */
export function describeErrorStatus(status: string): { name: string; description: string } {
  const [name, description] = ERROR_STATUSES[status] ?? ['UnexpectedError', 'Any other error.']
  return { name, description }
}

/**
 * The description of the component for a status: with what each of its codes means. That of
 * `default` has the codes of the statuses that no operation names, such as 405.
 */
export function explainErrorStatus(status: string): string {
  const entries = ERROR_CODES.filter((entry) =>
    status === 'default'
      ? ERROR_STATUSES[entry.status] === undefined
      : String(entry.status) === status,
  )
  const codes = entries.map(({ code, meaning, status: own }) =>
    listItem(code, status === 'default' ? `${own}. ${meaning}` : meaning),
  )
  const fields = status === '422' ? ['', 'The codes in `details`:', '', ...FIELD_CODES] : []
  return [describeErrorStatus(status).description, '', ...codes, ...fields].join('\n')
}

const listItem = (code: string, meaning: string) => `- \`${code}\`: ${meaning}`

const FIELD_CODES = Object.entries(FIELD_ERROR_CODES).map(([code, [meaning]]) =>
  listItem(code, meaning),
)

/**
 * The error replies of an operation, by status. The description of each lists the codes that this
 * operation may give.
 */
export function errorResponsesOf(endpoint: Endpoint): Record<string, OpenApiResponse> {
  const codes = new Set(errorCodesOf(endpoint))
  const byStatus = Map.groupBy(
    ERROR_CODES.filter(({ code }) => codes.has(code)),
    ({ status }) => String(status),
  )
  const responses = [...byStatus].map(([status, entries]) => {
    const list = entries.map(({ code }) => `\`${code}\``).join(', ')
    return [status, errorResponse(status, ` Codes: ${list}.`)]
  })
  return { ...Object.fromEntries(responses), default: errorResponse('default') }
}

/** The codes that follow from what an endpoint accepts, and its own. */
function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const { method, path, scope, body, upload, conditions, download, query } = endpoint
  const writes = method !== 'GET'
  const isList = Object.hasOwn(query?.properties ?? {}, 'cursor')
  return [
    ...COMMON_CODES,
    ...when(isList, 'invalid_cursor'),
    ...when(writes || conditions !== undefined, 'invalid_header'),
    ...when(body !== undefined, 'payload_too_large', 'validation_failed'),
    ...when(body !== undefined && !upload, 'invalid_json', 'unsupported_media_type'),
    ...when(scope !== 'any', 'insufficient_scope'),
    ...when(path.includes(':'), 'not_found'),
    ...when(writes && conditions === 'compared', 'version_mismatch'),
    ...when(writes, 'idempotency_key_reused'),
    ...when(download === true, 'range_not_satisfiable'),
    ...(endpoint.errors ?? []),
  ]
}

const COMMON_CODES: readonly ErrorCode[] = [
  'invalid_parameter',
  'authentication_required',
  'invalid_token',
  'token_expired',
  'rate_limit_exceeded',
  'key_rate_limited',
  'too_many_unauthenticated_requests',
  'internal_error',
  'unavailable',
]

const when = (condition: boolean, ...codes: ErrorCode[]): ErrorCode[] => (condition ? codes : [])
