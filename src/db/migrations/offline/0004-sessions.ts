import type { Migration } from '../../migrate/migrations.ts'

/**
 * Sessions of the web app, password resets and counters of failed sign-ins. Cookies, links and
 * addresses are stored as hashes. A session belongs to a user and has one current workspace.
 */
export const sessionsMigration: Migration = {
  name: '0004-sessions',
  sql: `
alter table users add column last_workspace_id text;
create index memberships_user on memberships (user_id);
create table sessions (
  id text primary key,
  hash text not null unique,
  user_id text not null references users,
  workspace_id text not null,
  user_agent text not null,
  created_at text not null,
  last_used_at text not null,
  expires_at text not null,
  foreign key (workspace_id, user_id) references memberships
);
create index sessions_user on sessions (user_id, id);
create index sessions_workspace on sessions (workspace_id, user_id);
create index sessions_expire on sessions (expires_at);
create table password_resets (
  hash text primary key,
  user_id text not null references users,
  created_at text not null,
  expires_at text not null
);
create index password_resets_user on password_resets (user_id);
create index password_resets_expire on password_resets (expires_at);
create table attempts (
  subject text primary key,
  failed_at text not null,
  blocked_until text not null,
  kept_until text not null
);
create index attempts_kept on attempts (kept_until);
`,
}
