import type { OpenApiHeader } from '../api-reference/openapi/openapi-types.ts'

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

export type HeaderName = keyof typeof HEADERS

/** Headers of every reply that counts against the rate limit. */
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

/** The headers with these names. */
export const headersNamed = (names: readonly HeaderName[]): Record<string, OpenApiHeader> =>
  Object.fromEntries(names.map((name) => [name, HEADERS[name]]))
