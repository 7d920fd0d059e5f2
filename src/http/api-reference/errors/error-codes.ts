import { ACCESS_ERRORS } from './access-errors.ts'
import { CONFLICT_ERRORS } from './conflict-errors.ts'
import { type ErrorCodeEntry, withStatus } from './error-code-entry.ts'

/** The codes of all error replies, ordered by status. */
export const ERROR_CODES: readonly ErrorCodeEntry[] = [
  ...withStatus(
    400,
    'invalid_request',
    [
      'invalid_request',
      'The request is not well-formed HTTP, its headers are too long (431), or its body was cut off.',
      'Send the request with an HTTP library.',
    ],
    [
      'invalid_json',
      'The body is not valid JSON in UTF-8, is missing where one is needed, is nested deeper than 32 levels, or has a member named `__proto__`.',
      'Send one JSON object, and create it with a JSON library.',
    ],
    [
      'invalid_parameter',
      'A query parameter is unknown, given twice, empty or invalid. `details` names it.',
      'Compare the name and value with the reference. `limit` is 1 to 200. Write `+` as `%2B` in a URL.',
    ],
    [
      'invalid_cursor',
      'The cursor is malformed, or belongs to another list, workspace, filter or sort order.',
      'Send `next_cursor` unchanged with the same filters and `sort`, or start again without a cursor.',
    ],
    [
      'invalid_header',
      '`If-Match` or `Idempotency-Key` is malformed or not accepted, or a header was sent twice.',
      'Put ETags in double quotes. An idempotency key has 1 to 255 visible ASCII characters. Send `Authorization` once.',
    ],
  ),
  ...ACCESS_ERRORS,
  ...withStatus(
    404,
    'not_found',
    [
      'not_found',
      'No such record exists: its id is malformed, unknown, deleted, of another workspace, or you do not have access.',
      'Check the id, and the workspace of your key. A deleted task can be restored for 30 days.',
    ],
    [
      'route_not_found',
      'No endpoint has this path.',
      'Compare the path with the reference. Paths are case-sensitive and do not end with a slash.',
    ],
  ),
  ...withStatus(405, 'method_not_allowed', [
    'method_not_allowed',
    'The path exists, but does not support this method.',
    'The header `Allow` lists the supported methods.',
  ]),
  ...withStatus(408, 'invalid_request', [
    'request_timeout',
    'The request did not arrive in time.',
    'Send it again, with the same `Idempotency-Key` if it writes.',
  ]),
  ...CONFLICT_ERRORS,
  ...withStatus(
    410,
    'gone',
    [
      'events_expired',
      'The requested events are older than the event log.',
      'Read the records again, then read the log without `after_sequence`: it begins with its oldest event.',
    ],
    [
      'position_expired',
      'The position in the feed of changes is too old, or of another state of the database.',
      'Begin again without `after`, and replace your copy with what you get.',
    ],
    [
      'endpoint_retired',
      'The endpoint was deprecated, and its sunset date has passed.',
      'Use its replacement. The reference names it.',
    ],
    [
      'workspace_deleted',
      'The workspace was deleted; with status 409, you tried to delete it a second time.',
      'An owner can restore it until its data is erased.',
    ],
  ),
  ...withStatus(412, 'precondition_failed', [
    'version_mismatch',
    'The record has changed since the version that `If-Match` names. Nothing was written.',
    'Read the record again, apply your change to it, and send it with the new ETag.',
  ]),
  ...withStatus(413, 'payload_too_large', [
    'payload_too_large',
    'The body is too large: at most 1 MiB for JSON, and 100 MiB for a file unless your operator set another limit.',
    'Send less at once.',
  ]),
  ...withStatus(414, 'invalid_request', [
    'uri_too_long',
    'The URL is longer than 8,192 bytes.',
    'Use fewer values in one request.',
  ]),
  ...withStatus(415, 'unsupported_media_type', [
    'unsupported_media_type',
    'The body is not declared as JSON in UTF-8, or is compressed.',
    'Send `Content-Type: application/json` and no `Content-Encoding`.',
  ]),
  ...withStatus(416, 'invalid_request', [
    'range_not_satisfiable',
    'The requested range is outside of the file.',
    'Request bytes below the `size_bytes` of the attachment.',
  ]),
  ...withStatus(421, 'invalid_request', [
    'misdirected_request',
    'The `Host` header names a host that this server does not serve.',
    'Use the address that the server is configured with.',
  ]),
  ...withStatus(
    422,
    'validation_failed',
    [
      'validation_failed',
      'One or more fields are invalid. Nothing was stored.',
      'Each entry of `details` names a field and one of the codes below. All errors in the form of the fields are returned at once; references are checked when the form is right. Fix the request; do not retry it unchanged.',
    ],
    [
      'idempotency_key_reused',
      'This `Idempotency-Key` was already used for a different request.',
      'Use a new key for each new request, and the same key to retry the same request.',
    ],
  ),
  ...withStatus(
    429,
    'rate_limited',
    [
      'rate_limit_exceeded',
      'The API keys and applications of the workspace have used all requests of this minute, or its sessions theirs.',
      'Wait for the seconds in `Retry-After`, plus a short random delay.',
    ],
    [
      'key_rate_limited',
      'The API key has used all requests of this minute that its own rate limit allows.',
      'Wait for the seconds in `Retry-After`, plus a short random delay, or raise the limit of the key under Settings → API access.',
    ],
    [
      'too_many_unauthenticated_requests',
      'Too many requests without a valid credential, or starts of a sign-in, came from your IP address.',
      'Wait for the seconds in `Retry-After`, and correct the credential if you sent one.',
    ],
    [
      'too_many_attempts',
      'Too many attempts to sign in have failed, or an action of the web app has reached its limit. The message says which one.',
      'Wait for the seconds in `Retry-After`. If you cannot sign in, reset the password.',
    ],
    [
      'too_many_session_requests',
      'The session has sent too many requests to the web app’s own addresses in this minute, or has too many live connections.',
      'Wait for the seconds in `Retry-After`.',
    ],
  ),
  ...withStatus(500, 'internal', [
    'internal_error',
    'An unexpected error occurred in Docket. Nothing was stored.',
    'Try again later, and give your operator the `request_id`.',
  ]),
  ...withStatus(503, 'unavailable', [
    'unavailable',
    'The server cannot reach its storage, is overloaded, or is shutting down.',
    'Wait for the seconds in `Retry-After`. A write may have been stored: retry it with the same `Idempotency-Key`.',
  ]),
]
