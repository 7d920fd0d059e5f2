import type { Migration } from '../../migrate/migrations.ts'

/**
 * Attachments of tasks. Their bytes are stored separately, under the workspace and the row's id; after
 * a row is deleted, `doomed_files` keeps its id until the file is deleted too.
 */
export const attachmentsMigration: Migration = {
  name: '0003-attachments',
  sql: `
alter table workspaces add column attachment_bytes bigint not null default 0;
create table attachments (
  workspace_id text not null,
  id text not null,
  task_id text not null,
  filename text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_by_id text not null,
  created_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index attachments_task on attachments (workspace_id, task_id, created_at, id);
create table doomed_files (
  workspace_id text not null references workspaces,
  id text not null,
  doomed_at text not null,
  primary key (workspace_id, id)
);
create index doomed_files_at on doomed_files (doomed_at);
`,
}
