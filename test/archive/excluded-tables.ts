/** Tables that no archive contains: secrets, pending work, and state of this installation. */
export const EXCLUDED_TABLES = [
  'api_keys',
  'sessions',
  'grants',
  'invitations',
  'replies',
  // What waits for a person runs with a credential of this installation.
  'pending_operations',
  'request_counts',
  'deliveries',
  'delivery_attempts',
  'replays',
  'removed_webhooks',
  'doomed_files',
  'audit_heads',
  // Notifications were delivered here; the tasks and comments hold everybody they concern.
  ...['notifications', 'notification_settings', 'task_watches', 'push_devices'],
  // They are kept for those who deleted one by mistake.
  ...['deleted_comments', 'operations', 'trash'],
  'imports',
  'import_rows',
  'exports',
  'jobs',
  // An imported workspace begins a new history of changes.
  'tombstones',
] as const

/** Tables that an archive contains, and an import does not load. */
export const EXPORTED_TABLES = ['audit_entries'] as const

/** Tables that are rebuilt from other rows on import. */
export const REBUILT_TABLES = ['task_assignees', 'task_tags', 'searched_comments'] as const
