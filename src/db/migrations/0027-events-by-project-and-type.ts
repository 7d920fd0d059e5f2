import type { IndexMigration } from '../migrate/migrations.ts'

/**
 * The events of a project by type, for a filter by both: with an index for each of the two, either
 * could be read from its beginning for events that hardly exist.
 */
export const eventIndexMigrations: readonly IndexMigration[] = [
  {
    name: '0027-events-by-former-project-and-type',
    index: {
      name: 'events_former_project_type',
      table: 'events',
      columns:
        '(workspace_id, former_project_id, type, sequence) where former_project_id is not null',
    },
  },
  {
    name: '0027-events-by-project-and-type',
    index: {
      name: 'events_project_type',
      table: 'events',
      columns: '(workspace_id, project_id, type, sequence)',
    },
  },
]
