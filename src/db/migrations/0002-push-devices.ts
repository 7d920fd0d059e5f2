import type { Migration } from '../migrate/migrations.ts'

/**
 * Browsers that receive notifications of a workspace by Web Push. A device lasts as long as the row
 * of its session, which moves between workspaces and may be replaced; so there is no foreign key.
 * `subscription` is encrypted, for it lets its holder send messages to the browser.
 */
export const pushDevicesMigration: Migration = {
  name: '0002-push-devices',
  sql: `
create table push_devices (
  workspace_id text not null,
  id text not null,
  user_id text not null,
  session_id text not null,
  endpoint_hash text not null,
  subscription text not null,
  created_at text not null,
  primary key (workspace_id, id),
  unique (workspace_id, session_id),
  unique (workspace_id, endpoint_hash),
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id)
);
create index push_devices_user on push_devices (workspace_id, user_id, id);
create index push_devices_session on push_devices (session_id);
`,
}
