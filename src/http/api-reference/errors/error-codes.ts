import type { COMMAND_ERROR_CODES, ErrorCode } from '#wire/error-code.ts'
import type { FieldErrorCode } from '#wire/field-error.ts'

/** The meaning of an `error.code` and what a client should do. Backticks mark code. */
export interface ErrorCodeEntry {
  readonly status: number
  readonly type: string
  readonly code: ErrorCode
  readonly meaning: string
  readonly remedy: string
}

type ErrorCodeTuple = readonly [code: ErrorCode, meaning: string, remedy: string]

const withStatus = (status: number, type: string, ...entries: ErrorCodeTuple[]): ErrorCodeEntry[] =>
  entries.map(([code, meaning, remedy]) => ({ status, type, code, meaning, remedy }))

/** Who sends the request, and what they may do: 401 and 403. */
const ACCESS_ERRORS: readonly ErrorCodeEntry[] = [
  ...withStatus(
    401,
    'unauthenticated',
    [
      'authentication_required',
      'The request has no credential, uses an unknown scheme, or its session has ended.',
      'Send `Authorization: Bearer` with your key, or sign in again.',
    ],
    [
      'invalid_token',
      'The key or token is malformed, unknown or revoked, or its owner is no longer a member of the workspace.',
      'Check that you copied the whole key. If it was revoked, create a new one.',
    ],
    [
      'token_expired',
      'The key or token has expired.',
      'Use the refresh token, or create a new key.',
    ],
    [
      'invalid_credentials',
      'The email address, the password or the code is wrong.',
      'Try again, or reset the password.',
    ],
    [
      'second_factor_required',
      'The password is correct, and the account has a second factor.',
      'Send a code to `POST /internal/session/second-factor`. Programs use an API key instead.',
    ],
    [
      'company_sign_in_failed',
      'The sign-in with the company’s identity provider failed.',
      'Start the sign-in again. Your operator finds the reason in the server log.',
    ],
    [
      'sign_in_over',
      'A sign-in with several steps took too long, or was already completed.',
      'Start the sign-in again.',
    ],
  ),
  ...withStatus(
    403,
    'forbidden',
    [
      'csrf_rejected',
      'A write with a session cookie came from another origin, or did not name its origin.',
      'In programs, use an API key instead of a cookie. Otherwise send `Origin` with the address of this installation.',
    ],
    [
      'insufficient_scope',
      'The credential lacks the scope that this operation requires.',
      '`error.required_scope` names the scope. Create a key that has it, or request it when you authorize.',
    ],
    [
      'insufficient_role',
      'You can see the record, but your role does not allow this, or only its author may do it.',
      'Ask an owner or admin of the workspace.',
    ],
    [
      'session_required',
      'A request to `/internal` had an `Authorization` header.',
      'These addresses are for signed-in browsers only. Use `/api/v1`.',
    ],
    [
      'signup_disabled',
      'On this installation you can only sign up with an invitation.',
      'Ask a member for an invitation.',
    ],
    [
      'no_workspace',
      'You are signed in, but you are not a member of any workspace.',
      'Create one with `POST /internal/session/workspace` if sign-up is open, or ask for an invitation.',
    ],
    [
      'company_sign_in_only',
      'This installation only allows sign-in with the company’s identity provider.',
      'Use the company’s button on the sign-in page.',
    ],
    [
      'company_email_refused',
      'The identity provider reports no verified email address for you, or one of another domain.',
      'Ask the administrator of the identity provider, or sign in another way.',
    ],
    [
      'sign_in_again',
      'What you asked for goes on after the session, so it needs your password or a sign-in within the last 15 minutes, or one with your second factor or passkey.',
      'Confirm your password in the app, or sign in again, with your second factor or passkey if you have one, and try again within 15 minutes. API keys are not asked.',
    ],
    [
      'second_factor_missing',
      'The workspace requires two-factor authentication, and your account or session lacks it.',
      'Set it up in your profile, or sign in again with it.',
    ],
    ['plan_locked', 'The plan of the workspace cannot be changed here.', 'Contact your operator.'],
  ),
]

/** Codes that the command line prints, or that end a job. No reply of the API has them. */
export const COMMAND_ERRORS: Readonly<
  Record<(typeof COMMAND_ERROR_CODES)[number], readonly [meaning: string, remedy: string]>
> = {
  archive_damaged: [
    'The archive is damaged or incomplete.',
    'Copy it again from where it was made, or export the workspace again.',
  ],
  archive_exists: ['A file with this name already exists.', 'Choose another file name.'],
  archive_invalid: [
    'The archive has lines that Docket does not accept. The message names each of them.',
    'Import the archive as Docket exported it, without changes.',
  ],
  archive_missing: ['The archive cannot be opened.', 'Check its path and permissions.'],
  archive_newer: [
    'The archive was made by a newer version of Docket.',
    'Import it with that version, or a newer one.',
  ],
  workspace_going: [
    'A workspace with these ids was deleted, and is still being erased.',
    'Try again in ten minutes.',
  ],
  import_given_up: [
    'The import stopped for too long, and another process discarded it.',
    'Start the import again.',
  ],
  backup_damaged: ['The backup is damaged or incomplete.', 'Restore from another backup.'],
  backup_exists: ['The target directory already exists.', 'Choose another name.'],
  wrong_passphrase: [
    'The passphrase is not the one with which the secret in the backup was encrypted.',
    'Set `DOCKET_BACKUP_PASSPHRASE` to the passphrase of that time.',
  ],
  secret_missing: [
    'The backup holds the secret encrypted, and no passphrase is set; or there is no secret to back up.',
    'Set `DOCKET_BACKUP_PASSPHRASE`, or put the secret into the data directory. If it is lost, run `docket secret renew`.',
  ],
  nothing_to_back_up: [
    'The data directory contains no Docket installation.',
    'Check `DOCKET_DATA_DIR`.',
  ],
  files_elsewhere: [
    'The backup and this installation store files in different places: one in the data directory, the other in a bucket.',
    'Restore into an installation that stores files as the backed-up one did.',
  ],
  nothing_to_move: [
    'The source contains no Docket installation.',
    'Check `DOCKET_DATA_DIR` and `DOCKET_DATABASE_URL`.',
  ],
  move_differs: [
    'The copied data differs from the source, so nothing was moved.',
    'Make sure that nobody else writes to the target, then run the command again.',
  ],
  not_durable: [
    'The PostgreSQL server runs with settings that can lose acknowledged writes.',
    'Correct the setting that the message names.',
  ],
  store_in_use: ['A running Docket uses this data.', 'Stop every process of Docket that uses it.'],
  store_not_empty: ['The target already contains data.', 'Choose an empty target.'],
  other_engine: [
    'The backup was made with the other database engine.',
    'Restore it with the same engine, then migrate.',
  ],
  other_secret: [
    'The secret is not the one that the data was written with.',
    'Set the original secret in `DOCKET_SECRET`, or put it into the data directory. If it is lost, run `docket secret renew`.',
  ],
  same_secret: [
    'The secret is not replaced by itself.',
    'Set a new secret in `DOCKET_SECRET`, or unset it to have one generated.',
  ],
  other_version: [
    'The database has the schema of another version of Docket.',
    'Use that version, or run `docket migrate` first.',
  ],
  job_not_runnable: [
    'The background job is running or done, was enqueued again, or has lost the link that it would send.',
    'Invite again or request another link; otherwise wait for the job.',
  ],
}

/** The request is valid, but the state of the workspace does not allow it: 409. */
const CONFLICT_ERRORS: readonly ErrorCodeEntry[] = withStatus(
  409,
  'conflict',
  [
    'tag_exists',
    'The project already has a tag with this name. Upper and lower case count as equal.',
    'Use the tag that `details[].resource_id` identifies, or choose another name.',
  ],
  [
    'external_id_exists',
    'Another task already has this pair of `external_source` and `external_id`.',
    'Update the task that `details[].resource_id` identifies. It is absent if you cannot see that task.',
  ],
  [
    'project_archived',
    'The project is archived and read-only.',
    'Unarchive the project, or choose another one.',
  ],
  [
    'limit_reached',
    'The request would exceed a limit, such as 500 tags in a project, 16 MiB written by one request, or the storage of the workspace.',
    'The message names the limit. Delete what you no longer need, or request less at once. `details[].code` is `storage_full` if the workspace has no storage left.',
  ],
  [
    'webhook_disabled',
    'The webhook is disabled, so nothing can be sent to it.',
    'Set `is_active` of the webhook that `details[].resource_id` identifies to true, then try again.',
  ],
  [
    'session_changed',
    'A page of the web app is open for another person or workspace than the browser’s session is now.',
    'Switch back in the page, or reload it. Requests with a key or token never get this error.',
  ],
  ['prefix_taken', 'Another project has this prefix, or had it before.', 'Choose another prefix.'],
  [
    'status_in_use',
    'A status that still has tasks cannot be removed or change its category.',
    'Move these tasks to another status first.',
  ],
  ['last_owner', 'The workspace would have no owner.', 'Make another member an owner first.'],
  [
    'email_taken',
    'An account with this email address already exists.',
    'Sign in with it, or use another address.',
  ],
  [
    'account_not_linked',
    'An account already has the email address of your company sign-in, and nobody has confirmed the address.',
    'Sign in with the password of the account, then link your company sign-in in your profile.',
  ],
  [
    'company_linked',
    'Your company sign-in is already linked to another account.',
    'Sign in to that account, or unlink it there first.',
  ],
  ['last_way_in', 'This is the only way left to sign in to the account.', 'Set a password first.'],
  [
    'second_factor_enabled',
    'The account already uses two-factor authentication.',
    'Turn off the current one first.',
  ],
  [
    'already_member',
    'The person is already a member of the workspace.',
    'You need not do anything.',
  ],
  [
    'import_under_way',
    'Another import of the workspace is still running.',
    'Wait until it has ended, or cancel it.',
  ],
  [
    'import_not_ready',
    'The import is not in a state that allows this step.',
    'Read the import again: its `status` shows which steps are possible.',
  ],
  [
    'import_ended',
    'The import has ended, and its file has been deleted, or it has made tasks before it failed.',
    'Undo the import if it has made tasks. Upload the file again to start a new one.',
  ],
  [
    'export_under_way',
    'The workspace is already being exported.',
    'Wait until that export has ended, then download it.',
  ],
)

/** The codes in `details` of a 422: what is wrong with a field and how to correct it. */
export const FIELD_ERROR_CODES: Readonly<
  Record<FieldErrorCode, readonly [meaning: string, remedy: string]>
> = {
  required: ['The field is missing.', 'Send the field that `field` names.'],
  unknown_field: [
    'The operation does not accept a field with this name.',
    'The message lists the accepted fields. Check the spelling.',
  ],
  read_only_field: ['The field exists, but this operation cannot set it.', 'Leave it out.'],
  invalid_type: [
    'The value has the wrong JSON type, such as `"5"` for a number.',
    'Send the type that the reference names. Values are never converted.',
  ],
  not_nullable: ['The field cannot be null.', 'Send a value, or leave the field out.'],
  invalid_value: [
    'The value is not allowed.',
    'Use a value that the message or the reference lists.',
  ],
  invalid_format: [
    'The text does not have the expected format, such as a date or a color.',
    'Compare it with the example in the message. Timestamps need `Z` or an offset.',
  ],
  invalid_characters: [
    'The text contains characters that are not allowed, such as control characters or unpaired surrogates.',
    'Remove them. Line breaks are allowed only in longer texts.',
  ],
  too_short: ['The text is too short, or contains only whitespace.', 'Send more characters.'],
  too_long: [
    'The text has too many characters, counted in Unicode code points.',
    'Shorten it to the length in the message.',
  ],
  too_small: ['The number is below its minimum, or the file is empty.', 'Send a larger one.'],
  too_large: [
    'The number is above its maximum, or the time span or the object as JSON is too large.',
    'Send a smaller one.',
  ],
  too_few: ['The list has too few entries.', 'Send more entries.'],
  too_many: ['The list or object has too many entries.', 'Send fewer entries.'],
  duplicate: ['The list contains an entry twice.', 'Send each entry once.'],
  conflicting_fields: [
    'Some fields of the body cannot be combined, or one requires another.',
    'The message names them.',
  ],
  invalid_range: ['The end is before the start.', 'Correct one of the two.'],
  invalid_reference: [
    'The id is malformed, unknown, of another workspace, or you do not have access to the record.',
    'Check the id, and the workspace of your key.',
  ],
  not_a_member: [
    'The person is not an active member with access to the project.',
    'Choose another member, or add the person to the project.',
  ],
  not_in_project: [
    'The record belongs to a different project than the task.',
    'Choose a record of the same project.',
  ],
  cycle: [
    'The task would become its own parent, or would block itself.',
    'Choose another task. Deleted tasks count too.',
  ],
  too_deep: ['The record would be nested too deeply.', 'Choose a record on a higher level.'],
  url_not_allowed: [
    'Docket does not send webhooks to this address, because it is not on the public internet.',
    'Use a public `https` address. Your operator can allow other networks.',
  ],
}

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
      'Wait for the seconds in `Retry-After`, plus a short random delay, or raise the limit of the key under Settings → Integrations.',
    ],
    [
      'too_many_unauthenticated_requests',
      'Too many requests without a valid credential, or starts of a sign-in, came from your IP address.',
      'Wait for the seconds in `Retry-After`, and correct the credential if you sent one.',
    ],
    [
      'too_many_attempts',
      'Too many attempts to sign in have failed, or an action such as changing webhooks has reached its limit. The message says which one.',
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
