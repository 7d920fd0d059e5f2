import type { Migration } from '../migrate/migrations.ts'

/**
 * The audit log: a chain of entries for each workspace and for the installation, each with a hash that
 * includes the previous one. The head of a chain is stored separately, so that a truncated chain is
 * detected. There are no foreign keys to other tables, because entries outlive their subjects.
 */
export const auditMigration: Migration = {
  name: '0011-audit',
  sql: `
create table audit_entries (
  workspace_id text not null,
  sequence bigint not null,
  at text not null,
  actor_type text not null,
  actor_id text,
  credential_id text,
  action text not null,
  subject_id text,
  details text not null,
  operation_id text not null,
  hash text not null,
  primary key (workspace_id, sequence)
);
create table audit_heads (
  workspace_id text primary key,
  sequence bigint not null,
  hash text not null,
  updated_at text not null
);
create index audit_heads_updated on audit_heads (updated_at, workspace_id);
`,
}
