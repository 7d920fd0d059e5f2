import type { Migration } from '../migrate/migrations.ts'

/**
 * The indexes of the lists of time entries and comments of a workspace
 * (docs/decisions/0074-lists-of-time-entries-and-comments.md). `time_entries_listed` has all columns that
 * reports read, as `time_entries_day` had, and the order of the list.
 */
export const workspaceListMigrations: readonly Migration[] = [
  {
    name: '0004-time-entries-by-day',
    index: {
      name: 'time_entries_listed',
      table: 'time_entries',
      columns: '(workspace_id, spent_on, id, task_id, user_id, billable, duration_seconds)',
    },
  },
  {
    name: '0005-time-entries-by-user',
    index: {
      name: 'time_entries_user',
      table: 'time_entries',
      columns: '(workspace_id, user_id, spent_on, id)',
    },
  },
  {
    name: '0006-billable-time-entries',
    index: {
      name: 'time_entries_billable',
      table: 'time_entries',
      columns: '(workspace_id, billable, spent_on, id)',
    },
  },
  {
    name: '0007-comments-by-update',
    index: {
      name: 'comments_updated',
      table: 'comments',
      columns: '(workspace_id, updated_at, id)',
    },
  },
  // The previous release reads the first index in its place.
  { name: '0008-no-time-entries-day', sql: 'drop index time_entries_day;' },
]
