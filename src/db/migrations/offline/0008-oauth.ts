import type { Migration } from '../../migrate/migrations.ts'

/**
 * Third-party applications, the grants that users gave them, and the authorization server's requests,
 * codes and tokens, of which only hashes are stored. An application without a workspace belongs to the
 * whole installation; the first one is the command line.
 */
export const oauthMigration: Migration = {
  name: '0008-oauth',
  sql: `
create table applications (
  id text primary key,
  workspace_id text references workspaces,
  name text not null,
  description text,
  homepage_url text,
  type text not null,
  distribution text not null,
  redirect_uris text not null,
  scopes text not null,
  secret_hash text,
  secret_hint text,
  created_by_id text,
  created_at text not null,
  updated_at text not null
);
create index applications_workspace on applications (workspace_id, id);
create table grants (
  id text primary key,
  workspace_id text not null references workspaces,
  user_id text not null,
  application_id text not null references applications on delete cascade,
  scopes text not null,
  created_at text not null,
  last_used_at text,
  expires_at text not null,
  foreign key (workspace_id, user_id) references memberships
);
create index grants_person on grants (workspace_id, user_id, id);
create index grants_application on grants (application_id, workspace_id, id);
create index grants_expire on grants (expires_at);
create table oauth_records (
  kind text not null,
  hash text not null,
  grant_id text references grants on delete cascade,
  parent_hash text,
  session_id text,
  payload text not null,
  used_at text,
  ended integer not null,
  expires_at text not null,
  primary key (kind, hash)
);
create index oauth_records_grant on oauth_records (grant_id, kind);
create index oauth_records_parent on oauth_records (parent_hash) where parent_hash is not null;
create index oauth_records_expire on oauth_records (expires_at);
insert into applications (
  id, workspace_id, name, description, homepage_url, type, distribution, redirect_uris, scopes,
  secret_hash, secret_hint, created_by_id, created_at, updated_at
) values (
  'app_00000000000000000000000001', null, 'Docket command line',
  'The command that comes with Docket, on the computer of whoever signs in with it.', null,
  'public', 'public', '["http://127.0.0.1/callback"]',
  '["projects:read","tasks:read","tasks:write","tasks:delete","comments:read","comments:write","comments:delete","time_entries:read","time_entries:write","time_entries:delete","tags:read","tags:write","tags:delete","attachments:read","attachments:write","attachments:delete","members:read","webhooks:read","webhooks:write","webhooks:delete","events:read"]',
  null, null, null, '2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.000Z'
);
`,
}
