import type { Migration } from '../migrate/migrations.ts'

/** The swimlanes of a saved board view. */
export const lanesMigration: Migration = {
  name: '0020-lanes',
  sql: "alter table views add column lanes text not null default 'none';",
}
