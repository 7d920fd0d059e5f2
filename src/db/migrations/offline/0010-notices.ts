import type { Migration } from '../../migrate/migrations.ts'

/** With several writing processes, the workspace's row numbers its changes. */
export const noticesMigration: Migration = {
  name: '0010-notices',
  sql: `
alter table workspaces add column last_notice bigint not null default 0;
`,
}
