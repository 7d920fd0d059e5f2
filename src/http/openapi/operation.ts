import { Type } from 'typebox'
import { type Endpoint, isActionLimit, successStatusOf } from '#wire/endpoint.ts'
import type { ErrorCode } from '#wire/error-code.ts'
import { OperationRecord } from '#wire/operation-record.ts'
import { Named } from '#wire/schema-builders.ts'
import { ERROR_CODES, FIELD_CODE_MEANINGS } from '../api-reference/error-codes.ts'
import type {
  OpenApiContent,
  OpenApiHeader,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
} from './document-types.ts'
import { exampleOf, type RecordedExample } from './recorded-examples.ts'
import type { SchemaConverter } from './schema-converter.ts'

const text = (description: string, ...examples: string[]): OpenApiHeader => ({
  description,
  schema: { type: 'string', ...(examples.length > 0 && { examples }) },
})

const count = (description: string): OpenApiHeader => ({
  description,
  schema: { type: 'integer', format: 'int64' },
})

/** The headers of replies (docs/spec/api.md#headers-on-replies). */
const HEADERS = {
  'X-Request-Id': text(
    'The id of the request, which is also in the log of the server.',
    'req_01k2m3n4p5q6r7s8t9v0w1x2y3',
  ),
  Link: text(
    'Leads to what the server did with the request, as `rel="describedby"`. Absent without a valid credential.',
    '</api/v1/requests/req_01k2m3n4p5q6r7s8t9v0w1x2y3>; rel="describedby"',
  ),
  'X-RateLimit-Limit': count('How many requests the nearest limit allows in a minute.'),
  'X-RateLimit-Remaining': count('How many requests that limit leaves in this minute.'),
  'X-RateLimit-Reset': count(
    'When this minute ends and the requests are counted anew, in Unix seconds.',
  ),
  'Retry-After': count('How many seconds to wait before the next attempt.'),
  'WWW-Authenticate': text(
    'How to authenticate: the scheme, and what is wrong with the credential or which scope it lacks.',
  ),
  ETag: text(
    'The version of the record. Send it as `If-Match` or `If-None-Match`.',
    '"7-a91c02ff"',
  ),
  Location: text('The absolute URL of the new record. Absent in a dry run.'),
  'X-Operation-Id': text(
    'The id of the operation, which its events have as `operation_id`. Absent if it changed nothing.',
    'opr_01k2m3n4p5q6r7s8t9v0w1x2y3',
  ),
  'X-Dry-Run': text('`true` if the request was a dry run. Absent otherwise.', 'true'),
  'Idempotency-Replayed': text(
    '`true` if this is the stored reply of an earlier request with the same `Idempotency-Key`. Absent otherwise.',
    'true',
  ),
  'Content-Disposition': text('Makes a browser save the file, under its name.'),
  'Content-Security-Policy': text('Keeps a browser from running scripts of the file.'),
  'Accept-Ranges': text(
    '`bytes`: you can request a part of the file by the header `Range`.',
    'bytes',
  ),
  'Content-Range': text(
    'Which part of the file this is, and its whole size in bytes.',
    'bytes 0-99/1200',
  ),
} as const satisfies Record<string, OpenApiHeader>

type HeaderName = keyof typeof HEADERS

/** Headers of every reply that counts against the rate limit. */
const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

/** The headers with these names. */
const headersNamed = (names: readonly HeaderName[]): Record<string, OpenApiHeader> =>
  Object.fromEntries(names.map((name) => [name, HEADERS[name]]))

/** The parameters of an operation: in its path, its query and its headers. */
function parametersOf(endpoint: Endpoint, converter: SchemaConverter): OpenApiParameter[] {
  return [
    ...pathParameters(endpoint, converter),
    ...queryParameters(endpoint, converter),
    ...headerParameters(endpoint),
  ]
}

function pathParameters({ params }: Endpoint, converter: SchemaConverter): OpenApiParameter[] {
  return Object.entries(params?.properties ?? {}).map(([name, field]) => {
    // Not the pattern of the id: a malformed one is answered like an unknown one, by 404.
    const { description, pattern: _, ...schema } = converter.convert(field, 'reply')
    return { name, in: 'path', required: true, description, schema }
  })
}

function queryParameters(
  { query, dryRun, operationId = '' }: Endpoint,
  converter: SchemaConverter,
): OpenApiParameter[] {
  const required = new Set(query?.required)
  return Object.entries({ ...query?.properties, ...(dryRun && { dry_run: DRY_RUN }) }).map(
    ([name, field]) => {
      const named = name === 'sort' ? Named(sortName(operationId), field) : field
      const { description, ...schema } = converter.convert(named, 'request')
      const isList = schema.type === 'array'
      return {
        name,
        in: 'query',
        required: required.has(name),
        description,
        ...(isList && { style: 'form', explode: false }),
        schema,
      }
    },
  )
}

/** The name of an enum: "ProjectTaskSort" for `listProjectTasks`. */
const sortName = (operationId: string) =>
  `${operationId.replace(/^list/, '').replace(/ies$/, 'y').replace(/s$/, '')}Sort`

const DRY_RUN = Type.Boolean({
  description: 'Makes all checks and returns the reply, but changes nothing.',
})

function headerParameters({ method, conditions, download }: Endpoint): OpenApiParameter[] {
  const compares = conditions === 'compared'
  if (method !== 'GET') return [IDEMPOTENCY_KEY, ...(compares ? [IF_MATCH] : [])]
  return [...(compares ? [IF_NONE_MATCH] : []), ...(download ? [RANGE, IF_RANGE] : [])]
}

const header = (
  name: string,
  description: string,
  schema: OpenApiParameter['schema'],
): OpenApiParameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
})

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Any value of your own, such as a UUID. A request that repeats it within 24 hours gets the ' +
    'stored reply and changes nothing, so that a retry is safe.',
  { minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
)
const IF_MATCH = header(
  'If-Match',
  'The `ETag` that you read, or `*`. If the record has changed since, the reply is 412 and ' +
    'nothing is changed.',
  { examples: ['"7-a91c02ff"'] },
)
const IF_NONE_MATCH = header(
  'If-None-Match',
  'The `ETag` that you have, or `*`. If it is still current, the reply is 304 without a body.',
  { examples: ['"7-a91c02ff"'] },
)
const RANGE = header('Range', 'The part of the file to send: one range of bytes.', {
  examples: ['bytes=0-1023'],
})
const IF_RANGE = header(
  'If-Range',
  'The `ETag` of the part that you have. If it differs, the whole file is sent.',
  {},
)

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
    headers: headersNamed([...(HEADERS_BY_STATUS[status] ?? []), 'Link', ...RATE_LIMIT_HEADERS]),
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

const FIELD_CODES = Object.entries(FIELD_CODE_MEANINGS).map(([code, meaning]) =>
  listItem(code, meaning),
)

/**
 * The error replies of an operation, by status. The description of each lists the codes that this
 * operation may give.
 */
function errorResponsesOf(endpoint: Endpoint): Record<string, OpenApiResponse> {
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
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
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
    ...when(upload === true, 'approval_unavailable'),
    ...when(isActionLimit(endpoint.limit), 'too_many_attempts'),
    ...(endpoint.errors ?? []),
  ]
}

const COMMON_CODES: readonly ErrorCode[] = [
  'invalid_parameter',
  'authentication_required',
  'invalid_token',
  'token_expired',
  'credential_paused',
  'rate_limit_exceeded',
  'key_rate_limited',
  'too_many_unauthenticated_requests',
  'internal_error',
  'unavailable',
]

const when = (condition: boolean, ...codes: ErrorCode[]): ErrorCode[] => (condition ? codes : [])

/** Describes an endpoint as an operation of the document. Throws if it has no `operationId`. */
export function createOperation(endpoint: Endpoint, converter: SchemaConverter): OpenApiOperation {
  const { method, path, operationId, summary, description, roles, scope, tag } = endpoint
  if (operationId === undefined) throw new Error(`${method} ${path} needs an operationId`)
  const sentences = [description, roles && `Roles: ${roles}`].filter(Boolean)
  const example = exampleOf(method, path)
  return {
    operationId,
    summary,
    ...(sentences.length > 0 && { description: sentences.join('\n\n') }),
    tags: [tag],
    ...(scope !== 'any' && {
      'x-scope': scope,
      security: [{ apiKey: [] }, { oauth: [scope] }],
    }),
    ...(roles && { 'x-roles': roles }),
    parameters: parametersOf(endpoint, converter),
    ...requestBodyOf(endpoint, converter, example),
    responses: { ...successesOf(endpoint, converter, example), ...errorResponsesOf(endpoint) },
  }
}

const BYTES = { type: 'string', format: 'binary' }

/** A file is sent in a form, or as the whole body with its own type (docs/spec/api.md#extensions). */
const UPLOAD_CONTENT: OpenApiContent = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: { file: { ...BYTES, description: 'The file, with its name.' } },
    },
  },
  'application/octet-stream': { schema: BYTES },
}

function requestBodyOf(
  { body, bodyOptional, upload }: Endpoint,
  converter: SchemaConverter,
  example?: RecordedExample,
): Pick<OpenApiOperation, 'requestBody'> {
  if (upload) return { requestBody: { required: true, content: UPLOAD_CONTENT } }
  if (!body) return {}
  const schema = converter.convert(body, 'request')
  // A body without fields need not be sent, and many generators would make an argument of it.
  if (schema.properties && Object.keys(schema.properties).length === 0) return {}
  const content = jsonContent(schema, example?.request.body)
  return { requestBody: { required: !bodyOptional, content } }
}

function successesOf(
  endpoint: Endpoint,
  converter: SchemaConverter,
  example?: RecordedExample,
): Record<string, OpenApiResponse> {
  const { reply, csv, download, upload, conditions, method } = endpoint
  const status = successStatusOf(endpoint)
  const headers = headersNamed([...RATE_LIMIT_HEADERS, ...successHeaders(endpoint)])
  const notModified = { description: 'It has not changed.', headers: headersNamed(['ETag']) }
  const success = {
    description: MEANINGS[status] ?? '',
    headers,
    ...(reply && {
      content: {
        ...jsonContent(converter.convert(reply, 'reply'), example?.response.body),
        ...(csv && { 'text/csv': { schema: { type: 'string' } } }),
      },
    }),
  }
  // A supervised credential is answered with the operation that waits (docs/spec/api.md#supervised-credentials).
  const canWait = method !== 'GET' && !upload && status !== 202
  const pending = {
    description:
      'A person has to allow it first, because the credential is supervised. The body is the operation that waits, ' +
      'as `getOperation` replies it.',
    headers: headersNamed([...RATE_LIMIT_HEADERS, 'Location', 'X-Operation-Id']),
    // Generated clients take the first reply with a body for that of success, which 204 has not.
    ...(reply && { content: jsonContent(converter.convert(OperationRecord, 'reply'), undefined) }),
  }
  return {
    ...(download ? DOWNLOADS : { [status]: success }),
    ...(canWait && { 202: pending }),
    ...(method === 'GET' && conditions === 'compared' && { 304: notModified }),
  }
}

const jsonContent = (schema: OpenApiSchema, example: unknown): OpenApiContent => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

const MEANINGS: Readonly<Record<number, string>> = {
  200: 'OK.',
  201: 'It was created.',
  202: 'It was accepted, and happens after the reply.',
  204: 'It was deleted. The reply has no body.',
}

function successHeaders({ method, conditions, status, dryRun }: Endpoint): HeaderName[] {
  const hasTag = conditions === 'compared' && method !== 'DELETE'
  if (method === 'GET') return hasTag ? ['ETag'] : []
  return [
    ...headersIf(hasTag || status === 201, 'ETag'),
    ...headersIf(status === 201, 'Location'),
    'X-Operation-Id',
    'Idempotency-Replayed',
    ...headersIf(dryRun === true, 'X-Dry-Run'),
  ]
}

const headersIf = (condition: boolean, name: HeaderName): HeaderName[] => (condition ? [name] : [])

const FILE_HEADERS: readonly HeaderName[] = [
  ...RATE_LIMIT_HEADERS,
  'ETag',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Security-Policy',
]
const FILE_CONTENT: OpenApiContent = { 'application/octet-stream': { schema: BYTES } }

/** A file is sent whole, or as the one requested range. */
const DOWNLOADS: Readonly<Record<string, OpenApiResponse>> = {
  200: { description: 'The file.', headers: headersNamed(FILE_HEADERS), content: FILE_CONTENT },
  206: {
    description: 'The requested part of the file.',
    headers: headersNamed([...FILE_HEADERS, 'Content-Range']),
    content: FILE_CONTENT,
  },
}
