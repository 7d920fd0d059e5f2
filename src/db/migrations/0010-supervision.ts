import type { Migration } from '../migrate/migrations.ts'

/**
 * What a person allows a credential only after a look at it, and the requests that wait for that person. A
 * request has the id of the operation that it becomes.
 */
export const supervisionMigration: Migration = {
  name: '0014-supervision',
  sql: `
alter table api_keys add column supervision text;
alter table api_keys add column allowed_until text;
alter table api_keys add column paused_at text;
alter table grants add column supervision text;
alter table grants add column allowed_until text;
alter table grants add column paused_at text;
create table pending_operations (
  workspace_id text not null references workspaces,
  id text not null,
  user_id text not null,
  actor_type text not null,
  credential_id text not null,
  grant_id text,
  status text not null,
  endpoint text not null,
  request text not null,
  fingerprint text not null,
  reasons text not null,
  record_count bigint not null,
  preview text not null,
  digest text not null,
  created_at text not null,
  decided_by_id text,
  decided_at text,
  reply_status integer,
  reply text,
  primary key (workspace_id, id)
);
create index pending_operations_user on pending_operations (workspace_id, user_id, id);
create index pending_operations_open
  on pending_operations (workspace_id, user_id, credential_id, fingerprint)
  where status = 'pending';
`,
}
