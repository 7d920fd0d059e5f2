/** The codes of errors in replies (docs/spec/api.md#types-and-codes), by status. */
export const REPLY_ERROR_CODES = [
  ...['invalid_request', 'invalid_json', 'invalid_parameter', 'invalid_cursor', 'invalid_header'],
  ...['authentication_required', 'invalid_token', 'token_expired', 'invalid_credentials'],
  ...['second_factor_required', 'company_sign_in_failed', 'sign_in_over'],
  ...['csrf_rejected', 'insufficient_scope', 'insufficient_role', 'session_required'],
  ...['signup_disabled', 'no_workspace', 'company_sign_in_only', 'company_email_refused'],
  ...['sign_in_again', 'second_factor_missing', 'plan_locked'],
  ...['not_found', 'route_not_found', 'method_not_allowed', 'request_timeout'],
  ...['tag_exists', 'external_id_exists', 'project_archived', 'limit_reached', 'webhook_disabled'],
  ...[
    'idempotency_in_progress',
    'session_changed',
    'prefix_taken',
    'status_in_use',
    'last_owner',
    'email_taken',
  ],
  ...['account_not_linked', 'company_linked', 'last_way_in', 'second_factor_enabled'],
  ...['already_member', 'import_under_way', 'import_not_ready', 'import_ended'],
  ...['export_under_way', 'events_expired', 'position_expired'],
  ...['endpoint_retired', 'workspace_deleted'],
  ...['version_mismatch', 'payload_too_large', 'uri_too_long', 'unsupported_media_type'],
  ...['range_not_satisfiable', 'misdirected_request', 'validation_failed'],
  ...['idempotency_key_reused', 'rate_limit_exceeded', 'key_rate_limited'],
  ...['too_many_unauthenticated_requests'],
  ...['too_many_attempts', 'too_many_session_requests', 'internal_error', 'unavailable'],
] as const

/** Codes that only the command line prints, or that end a background job. */
export const COMMAND_ERROR_CODES = [
  ...['archive_damaged', 'archive_exists', 'archive_invalid', 'archive_missing', 'archive_newer'],
  ...['workspace_going', 'import_given_up', 'backup_damaged', 'backup_exists'],
  ...['nothing_to_back_up', 'files_elsewhere', 'nothing_to_move', 'move_differs', 'other_move'],
  ...['not_durable', 'source_changed', 'store_in_use', 'store_not_empty', 'other_engine'],
  ...['other_secret', 'same_secret', 'other_version', 'postgres_only', 'job_not_runnable'],
  ...['backup_failed', 'backup_running', 'wrong_passphrase', 'secret_missing'],
  'not_resumed',
  ...['pooler_address', 'idle_connections'],
] as const

/** A code that Docket itself gives an error. */
export type ErrorCode = (typeof REPLY_ERROR_CODES | typeof COMMAND_ERROR_CODES)[number]
