import type { Migration } from '../migrations.ts'

/**
 * The audit log: for each workspace, and for the installation, a chain of entries, each with a hash over
 * the one before. The end of a chain is kept apart, so that a chain that was cut is known. No key leads
 * from here to other tables: entries stay when what they tell of is gone.
 */
export const audit: Migration = {
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
