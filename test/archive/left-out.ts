/** What of a workspace no archive has: secrets, what is on its way, and what only this installation needs. */
export const LEFT_OUT = [
  ...['api_keys', 'sessions', 'grants', 'invitations', 'replies', 'request_counts'],
  ...['deliveries', 'delivery_attempts', 'replays', 'removed_webhooks', 'doomed_files'],
  ...['audit_entries', 'audit_heads'],
  // What persons were told here they know; whom a task concerns is in the task and its comments.
  ...['notifications', 'notification_letters', 'notification_settings', 'task_watches'],
  ...['imports', 'import_rows', 'exports'],
] as const

/** Nor what is made of other rows: it is made again. */
export const MADE_ANEW = ['task_assignees', 'task_tags', 'searched_comments'] as const
