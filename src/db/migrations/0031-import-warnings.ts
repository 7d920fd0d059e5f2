import type { Migration } from '../migrate/migrations.ts'

/**
 * What of an imported row could not be taken over as the file says it, and the row below which its
 * task comes if not below the one that it names. The previous release knows neither: its rows have
 * none.
 */
export const importWarningMigrations: readonly Migration[] = [
  {
    name: '0031-import-warnings',
    sql: `
alter table imports add column warned_count bigint not null default 0;
alter table import_rows add column warning text;
alter table import_rows add column parent_key text;
`,
  },
  {
    name: '0031-import-warnings-by-number',
    index: {
      name: 'import_rows_warning',
      table: 'import_rows',
      columns: '(workspace_id, import_id, number) where warning is not null',
    },
  },
]
