import type { Migration } from '../migrations.ts'

/** What lies across the columns of a board that is saved as a view. */
export const lanes: Migration = {
  name: '0020-lanes',
  sql: "alter table views add column lanes text not null default 'none';",
}
