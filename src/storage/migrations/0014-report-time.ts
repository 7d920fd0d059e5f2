import type { Migration } from '../migrations.ts'

/** A report of time reads the entries of its days, and of each no more than the index holds. */
export const reportTime: Migration = {
  name: '0014-report-time',
  index: {
    name: 'time_entries_day',
    table: 'time_entries',
    columns: '(workspace_id, spent_on, task_id, user_id, billable, duration_seconds)',
  },
}
