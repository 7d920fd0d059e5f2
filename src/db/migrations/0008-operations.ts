import type { Migration } from '../migrate/migrations.ts'

/**
 * What every write has done, with the range of its events in the log, and what operations have removed, so that
 * both can be undone. A row of the trash is in no other table, so that no statement reads it by mistake.
 */
export const operationsMigration: Migration = {
  name: '0012-operations',
  sql: `
create table operations (
  workspace_id text not null references workspaces,
  id text not null,
  actor_type text not null,
  user_id text,
  credential_id text,
  import_id text,
  created_at text not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  undoes_id text,
  undone_by_id text,
  primary key (workspace_id, id)
);
create index operations_user on operations (workspace_id, user_id, id);
create index operations_credential on operations (workspace_id, credential_id, id)
  where credential_id is not null;
create index operations_import on operations (workspace_id, import_id, id)
  where import_id is not null;
create table trash (
  workspace_id text not null,
  operation_id text not null,
  id text not null,
  type text not null,
  task_id text,
  record text not null,
  task_ids text not null,
  size_bytes bigint not null,
  deleted_at text not null,
  primary key (workspace_id, operation_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index trash_task on trash (workspace_id, task_id) where task_id is not null;
create index trash_record on trash (workspace_id, id);
create index trash_time on trash (workspace_id, deleted_at, operation_id, id);
alter table activity add column operation_id text;
`,
}
