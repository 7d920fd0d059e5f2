import { type ErrorCodeEntry, withStatus } from './error-code-entry.ts'

/** The request is valid, but the state of the workspace does not allow it: 409. */
export const CONFLICT_ERRORS: readonly ErrorCodeEntry[] = withStatus(
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
    'The message names the limit. Delete what you no longer need, or request less at once.',
  ],
  [
    'webhook_disabled',
    'The webhook is disabled, so nothing can be sent to it.',
    'Set `is_active` to true, then try again.',
  ],
  [
    'idempotency_in_progress',
    'The first request with this `Idempotency-Key` is still running.',
    'Wait for the seconds in `Retry-After`, then send the same request again.',
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
    'An account with the email address of your company sign-in was created at the same moment.',
    'Sign in with your company again.',
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
