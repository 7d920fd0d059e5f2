import type { Migration } from '../migrate/migrations.ts'

/** A covering index for time reports, which read the entries of a range of days. */
export const reportTimeMigration: Migration = {
  name: '0014-report-time',
  index: {
    name: 'time_entries_day',
    table: 'time_entries',
    columns: '(workspace_id, spent_on, task_id, user_id, billable, duration_seconds)',
  },
}
