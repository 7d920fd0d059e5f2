import type { Migration } from '../../migrate/migrations.ts'

/**
 * Delivery of events to webhooks. A webhook is a queue: `next_due_at` says when it has work, so that
 * due webhooks are found without reading pending deliveries. A delivery is ready when it is pending
 * and not `blocked` by an earlier one about the same subject.
 */
export const deliveriesMigration: Migration = {
  name: '0002-deliveries',
  sql: `
alter table workspaces add column has_unsent_events integer not null default 0;
alter table workspaces add column fanned_out_sequence bigint not null default 0;
alter table workspaces add column log_from_sequence bigint not null default 1;
alter table workspaces add column dispatcher_id text;
alter table workspaces add column dispatch_token bigint not null default 0;
create index workspaces_unsent on workspaces (id) where has_unsent_events = 1;
update workspaces set log_from_sequence = coalesce(
  (select min(sequence) from events where workspace_id = workspaces.id), last_sequence + 1
);
update workspaces set has_unsent_events = 1
  where exists (select 1 from webhooks where workspace_id = workspaces.id and is_active = 1);
create index events_former_project on events (workspace_id, former_project_id, sequence)
  where former_project_id is not null;
alter table webhooks add column activation integer not null default 0;
alter table webhooks add column has_stale integer not null default 0;
alter table webhooks add column next_due_at text;
alter table webhooks add column pending_count integer not null default 0;
alter table webhooks add column failing_since text;
create index webhooks_due on webhooks (next_due_at, id) where next_due_at is not null;
create table deliveries (
  workspace_id text not null references workspaces,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  event_type text not null,
  sequence bigint,
  payload text,
  queue integer not null,
  lane text,
  blocked integer not null,
  activation integer not null,
  status text not null,
  attempt_count integer not null,
  due_at text not null,
  last_attempt_at text,
  response_status integer,
  duration_ms integer,
  error text,
  is_test integer not null,
  redelivery_of_id text,
  created_at text not null,
  completed_at text,
  primary key (workspace_id, id)
);
create index deliveries_webhook on deliveries (workspace_id, webhook_id, id);
create index deliveries_status on deliveries (workspace_id, webhook_id, status, id);
create index deliveries_type on deliveries (workspace_id, webhook_id, event_type, id);
create index deliveries_event on deliveries (workspace_id, event_id);
create index deliveries_pending on deliveries
  (workspace_id, webhook_id, activation, blocked, queue, due_at, id) where status = 'pending';
create index deliveries_lane on deliveries (workspace_id, webhook_id, lane, sequence)
  where status = 'pending' and lane is not null;
create table delivery_attempts (
  workspace_id text not null,
  delivery_id text not null,
  number integer not null,
  started_at text not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  error text,
  url text not null,
  headers text not null,
  primary key (workspace_id, delivery_id, number),
  foreign key (workspace_id, delivery_id) references deliveries on delete cascade
);
create table replays (
  workspace_id text not null references workspaces,
  id text not null,
  webhook_id text not null,
  activation integer not null,
  next_sequence bigint not null,
  to_sequence bigint not null,
  primary key (workspace_id, id)
);
create table removed_webhooks (
  workspace_id text not null references workspaces,
  webhook_id text not null,
  primary key (workspace_id, webhook_id)
);
create table dispatchers (
  id text primary key,
  alive_until text not null
);
`,
  // Without statistics SQLite assumes ten rows per workspace, and scans all its deliveries when it is
  // given the ids of some. These figures describe a large workspace: total rows, then rows per value
  // of each further index column. They are never measured again.
  sqlite: `
analyze webhooks;
delete from sqlite_stat1 where tbl in ('deliveries', 'webhooks');
insert into sqlite_stat1 (tbl, idx, stat) values
  ('webhooks', 'sqlite_autoindex_webhooks_1', '100000 50 1'),
  ('webhooks', 'webhooks_due', '50000 2 1'),
  ('deliveries', 'sqlite_autoindex_deliveries_1', '1000000 100000 1'),
  ('deliveries', 'deliveries_webhook', '1000000 100000 20000 1'),
  ('deliveries', 'deliveries_status', '1000000 100000 20000 10000 1'),
  ('deliveries', 'deliveries_type', '1000000 100000 20000 5000 1'),
  ('deliveries', 'deliveries_event', '1000000 100000 5'),
  ('deliveries', 'deliveries_pending', '500000 50000 10000 10000 8000 5000 2 1'),
  ('deliveries', 'deliveries_lane', '500000 50000 10000 4 1');
analyze sqlite_schema;`,
}
