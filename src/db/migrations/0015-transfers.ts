import type { Migration } from '../migrate/migrations.ts'

/**
 * Imports from other tools, and exports. The rows of an imported file are kept for some time after the
 * run: `place` is their order, null for rows that create nothing; `task_id` and `fault` are the result,
 * so that a killed run can continue.
 */
export const transfersMigration: Migration = {
  name: '0015-transfers',
  sql: `
create table imports (
  workspace_id text not null references workspaces (id),
  id text not null,
  created_by_id text not null,
  file_id text,
  filename text not null,
  size_bytes bigint not null,
  kind text,
  status text not null,
  plan text not null,
  made text not null,
  row_count bigint not null,
  done_count bigint not null,
  made_count bigint not null,
  failed_count bigint not null,
  error text,
  runner text not null,
  runner_until text not null,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id)
);
create index imports_status on imports (status, updated_at);
create unique index imports_file on imports (workspace_id, file_id) where file_id is not null;
create table import_rows (
  workspace_id text not null,
  import_id text not null,
  number bigint not null,
  place bigint,
  key text,
  row text not null,
  task_id text,
  fault text,
  primary key (workspace_id, import_id, number),
  foreign key (workspace_id, import_id) references imports (workspace_id, id)
);
create index import_rows_place on import_rows (workspace_id, import_id, place);
create index import_rows_key on import_rows (workspace_id, import_id, key) where key is not null;
create index import_rows_fault on import_rows (workspace_id, import_id, number) where fault is not null;
create table exports (
  workspace_id text not null references workspaces (id),
  id text not null,
  created_by_id text not null,
  status text not null,
  file_id text,
  filename text not null,
  size_bytes bigint not null,
  sha256 text,
  progress text not null,
  error text,
  runner text not null,
  runner_until text not null,
  created_at text not null,
  updated_at text not null,
  expires_at text,
  primary key (workspace_id, id)
);
create index exports_status on exports (status, updated_at);
create unique index exports_file on exports (workspace_id, file_id) where file_id is not null;
`,
}
