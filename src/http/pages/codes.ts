/** What an `error.code` means and what a client does about it. `backticks` mark code. */
export interface Code {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly meaning: string
  readonly remedy: string
}

type Told = readonly [code: string, meaning: string, remedy: string]

const codes = (status: number, type: string, ...told: Told[]): Code[] =>
  told.map(([code, meaning, remedy]) => ({ status, type, code, meaning, remedy }))

/** Every `error.code`, by status. */
export const CODES: readonly Code[] = [
  ...codes(
    400,
    'invalid_request',
    [
      'invalid_json',
      'The body is not valid JSON in UTF-8, is missing where one is needed, is nested deeper than 32, or has a member named `__proto__`.',
      'Send one JSON object. Make it with a JSON library rather than by joining text.',
    ],
    [
      'invalid_parameter',
      'A query parameter is unknown, given twice, empty, or outside its values; `details` names it.',
      'Compare the name and value with the reference. `limit` is 1 to 200. In addresses write `+` as `%2B`.',
    ],
    [
      'invalid_cursor',
      'The cursor is damaged, or comes from another list, workspace, filter or sorting.',
      'Send `next_cursor` unchanged with the same filters and `sort`, or start again without a cursor.',
    ],
    [
      'invalid_header',
      '`If-Match` or `Idempotency-Key` is malformed, or a header that may come once came twice.',
      'A tag is in double quotes. A key is 1 to 255 visible ASCII characters. Send `Authorization` once.',
    ],
  ),
  ...codes(
    401,
    'unauthenticated',
    [
      'authentication_required',
      'The request has no credential, or one of an unknown scheme, or the session has ended.',
      'Send `Authorization: Bearer` and your key, or sign in again.',
    ],
    [
      'invalid_token',
      'The key or token is malformed, unknown or revoked, or its person is no longer a member.',
      'Check that the whole key was copied. If it was revoked, make a new one.',
    ],
    [
      'token_expired',
      'The key or token was right once and is past its expiry.',
      'Use the refresh token, or make a new key.',
    ],
    [
      'invalid_credentials',
      'The e-mail address or the password is wrong.',
      'Try again, or set a new password.',
    ],
    [
      'second_factor_required',
      'The password is right, and the account has a second factor.',
      'Show a code of it at `POST /internal/session/second-factor`; programs use a key.',
    ],
    [
      'company_sign_in_failed',
      'The answer of the company’s provider is not the one to what was begun.',
      'Begin the sign-in anew; whoever runs this installation finds the reason in the log.',
    ],
    [
      'sign_in_over',
      'A sign-in in several steps took too long, or was done already.',
      'Begin it anew.',
    ],
  ),
  ...codes(
    403,
    'forbidden',
    [
      'csrf_rejected',
      'A write with a session cookie came from a foreign origin, or told no origin.',
      'Programs use a key rather than a cookie; else send `Origin` with the address of this installation.',
    ],
    [
      'insufficient_scope',
      'The credential lacks the scope that the operation needs.',
      'The header `WWW-Authenticate` names the scope. Make a key that has it, or ask for it.',
    ],
    [
      'insufficient_role',
      'You may see the record, but your role, or not being its author, does not allow this.',
      'Ask an owner or admin of the workspace.',
    ],
    [
      'session_required',
      'An address under `/internal` was called with `Authorization`.',
      'Those addresses serve signed-in browsers only. Use `/api/v1`.',
    ],
    [
      'signup_disabled',
      'This installation takes new accounts by invitation only.',
      'Ask for an invitation.',
    ],
    [
      'no_workspace',
      'You have signed in and are a member of no workspace.',
      'Begin one at `POST /internal/session/workspace` where anybody may sign up, or ask for an invitation.',
    ],
    [
      'company_sign_in_only',
      'This installation takes sign-ins by the company’s provider alone.',
      'Continue with the company on the page to sign in.',
    ],
    [
      'company_email_refused',
      'The company vouches for no address of the person, or for one of another domain.',
      'Ask whoever runs the provider, or sign in by other means.',
    ],
    [
      'sign_in_again',
      'How one signs in is changed soon after signing in, by whoever has no password.',
      'Sign out, sign in, and do it within a quarter of an hour.',
    ],
    [
      'plan_locked',
      'The plan of a workspace cannot be changed here.',
      'Ask whoever runs this installation.',
    ],
  ),
  ...codes(
    404,
    'not_found',
    [
      'not_found',
      'No such record: its id is malformed, unknown, deleted, of another workspace, or not yours to see.',
      'Check the id and the workspace of the key. A deleted task can be restored for 30 days.',
    ],
    [
      'route_not_found',
      'There is no such path.',
      'Compare it with the reference. Paths are case-sensitive and do not end with a slash.',
    ],
  ),
  ...codes(405, 'method_not_allowed', [
    'method_not_allowed',
    'The path exists, but not for this method.',
    'The header `Allow` lists the methods that it takes.',
  ]),
  ...codes(408, 'invalid_request', [
    'request_timeout',
    'The request did not arrive in time.',
    'Send it again, with the same `Idempotency-Key` if it writes.',
  ]),
  ...codes(
    409,
    'conflict',
    [
      'tag_exists',
      'The project has a tag of that name already, whatever its case.',
      'Use the tag that `details[].resource_id` names, or choose another name.',
    ],
    [
      'external_id_exists',
      'Another task has this pair of `external_source` and `external_id`.',
      'Update the task that `details[].resource_id` names. It is absent if you may not see that task.',
    ],
    [
      'project_archived',
      'The project is archived: it can be read, not written.',
      'Unarchive the project first, or choose another.',
    ],
    [
      'limit_reached',
      'There would be more of something than there may be, such as 500 tags in a project or 50 webhooks in a workspace.',
      'The message names the limit. Delete what is not needed, or ask for less at once.',
    ],
    [
      'webhook_disabled',
      'The webhook is not active, so nothing can be sent to it.',
      'Set `is_active` to true, then try again.',
    ],
    [
      'idempotency_in_progress',
      'The first request with this `Idempotency-Key` is still running.',
      'Wait as long as `Retry-After` says and send the same request again.',
    ],
    ['prefix_taken', 'Another project has, or once had, this prefix.', 'Choose another prefix.'],
    [
      'status_in_use',
      'A status that still has tasks would be removed or change its category.',
      'Move those tasks to another status first.',
    ],
    [
      'last_owner',
      'The workspace would be left without an owner.',
      'Make somebody else an owner first.',
    ],
    ['email_taken', 'There is an account with this e-mail address.', 'Sign in with it instead.'],
    [
      'account_not_linked',
      'There is an account with the address that the company tells.',
      'Sign in with its password, and link it in the profile.',
    ],
    [
      'company_linked',
      'Another account is linked to this person of the company.',
      'Sign in with that one, or unlink it.',
    ],
    [
      'last_way_in',
      'Nothing else is left by which the person could sign in.',
      'Set a password first.',
    ],
    ['second_factor_enabled', 'The account has a second factor already.', 'Disable it first.'],
    [
      'already_member',
      'The person is a member of the workspace already.',
      'Nothing is left to do.',
    ],
  ),
  ...codes(
    410,
    'gone',
    [
      'events_expired',
      'The events asked for are older than the log.',
      'Read the records anew, then follow from the oldest number that the detail names.',
    ],
    [
      'endpoint_retired',
      'The operation has reached the end of its announced life.',
      'Use its successor; the reference names it.',
    ],
  ),
  ...codes(412, 'precondition_failed', [
    'version_mismatch',
    'The record has changed since the version that `If-Match` names. Nothing was written.',
    'Read the record, apply your change to what is there now, and send it with the new tag.',
  ]),
  ...codes(413, 'payload_too_large', [
    'payload_too_large',
    'The body is larger than it may be: 1 MiB for JSON, 100 MiB for a file unless set otherwise.',
    'Send less at once.',
  ]),
  ...codes(414, 'invalid_request', [
    'uri_too_long',
    'The address is longer than 8,192 bytes.',
    'Ask for fewer values in one request.',
  ]),
  ...codes(415, 'unsupported_media_type', [
    'unsupported_media_type',
    'The body is not declared as JSON in UTF-8, or is compressed.',
    'Send `Content-Type: application/json` and no `Content-Encoding`.',
  ]),
  ...codes(416, 'invalid_request', [
    'range_not_satisfiable',
    'The range lies outside the file.',
    'Ask for bytes below the `size_bytes` of the attachment.',
  ]),
  ...codes(421, 'invalid_request', [
    'misdirected_request',
    'The header `Host` names another host than the one that this server answers for.',
    'Call the address that the server was set up with.',
  ]),
  ...codes(
    422,
    'validation_failed',
    [
      'validation_failed',
      'One or more fields are not as they should be. Nothing was stored.',
      'Each entry of `details` names a field and one of the codes below. All faults are listed at once.',
    ],
    [
      'idempotency_key_reused',
      'This `Idempotency-Key` has already served another request.',
      'Choose a new key for each intention; repeat a request with its key unchanged.',
    ],
  ),
  ...codes(
    429,
    'rate_limited',
    [
      'rate_limit_exceeded',
      'The workspace has used up its requests of this minute.',
      'Wait as long as `Retry-After` says, and a little more by chance.',
    ],
    [
      'too_many_unauthenticated_requests',
      'Too many requests with a wrong credential came from this address.',
      'Wait as long as `Retry-After` says, and mend the credential.',
    ],
    [
      'too_many_attempts',
      'Too many sign-ins failed.',
      'Wait as long as `Retry-After` says, or set a new password.',
    ],
    [
      'too_many_session_requests',
      'The session has used up its requests of this minute.',
      'Wait as long as `Retry-After` says.',
    ],
  ),
  ...codes(500, 'internal', [
    'internal_error',
    'A defect of Docket. Nothing was committed.',
    'Try again later, and tell whoever runs this installation the `request_id`.',
  ]),
  ...codes(503, 'unavailable', [
    'unavailable',
    'The server cannot reach its storage, has too much to do, or is shutting down.',
    'Wait as long as `Retry-After` says. A write may or may not have happened: repeat it with the same `Idempotency-Key`.',
  ]),
]
