import type { Migration } from '../migrate/migrations.ts'

/** By it, workspaces take turns with their jobs (`nextDueJob`). */
export const jobTurnsMigration: Migration = {
  name: '0009-job-turns',
  index: {
    name: 'jobs_turn',
    table: 'jobs',
    columns: '(kind, workspace_id, run_at) where ended_at is null',
  },
}
