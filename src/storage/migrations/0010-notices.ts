import type { Migration } from '../migrations.ts'

/** Where several processes write, the notices of a workspace are numbered by its row. */
export const notices: Migration = {
  name: '0010-notices',
  sql: `
alter table workspaces add column last_notice bigint not null default 0;
`,
}
