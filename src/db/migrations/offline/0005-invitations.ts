import type { Migration } from '../../migrate/migrations.ts'

/**
 * Invitations to a workspace, of whose links only the hash is stored; and, for a day, the number of
 * requests per minute and credential ('' for all besides the busiest).
 */
export const invitationsMigration: Migration = {
  name: '0005-invitations',
  sql: `
create table invitations (
  workspace_id text not null references workspaces,
  id text not null,
  email text not null,
  role text not null,
  project_ids text not null,
  invited_by_id text not null,
  hash text not null unique,
  expires_at text not null,
  created_at text not null,
  primary key (workspace_id, id)
);
create unique index invitations_email on invitations (workspace_id, email);
create index invitations_expire on invitations (expires_at);
create table request_counts (
  workspace_id text not null references workspaces,
  at text not null,
  credential_id text not null,
  credential_type text not null,
  name text not null,
  used integer not null,
  refused integer not null,
  primary key (workspace_id, at, credential_id)
);
create index request_counts_at on request_counts (at);
`,
}
