import type { Migration } from '../migrate/migrations.ts'

/**
 * How many bytes a workspace stores, counted by each write: of texts and files, and of its history.
 * Existing workspaces are counted by a background job, as are writes of the previous release.
 */
export const storedBytesMigration: Migration = {
  name: '0029-stored-bytes',
  sql: `alter table workspaces add column content_bytes bigint not null default 0;
alter table workspaces add column history_bytes bigint not null default 0;
alter table workspaces add column bytes_counted_at text;`,
}
