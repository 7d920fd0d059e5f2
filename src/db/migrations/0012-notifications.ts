import type { Migration } from '../migrate/migrations.ts'

/**
 * Notifications, watched tasks, notification preferences and queued emails. `key` identifies an
 * occasion of which a user is notified once. A queued email is a row until it is sent.
 */
export const notificationsMigration: Migration = {
  name: '0012-notifications',
  sql: `
create table notifications (
  workspace_id text not null,
  id text not null,
  user_id text not null,
  kind text not null,
  detail text,
  task_id text,
  subject_id text not null,
  key text not null,
  actor_id text,
  in_inbox integer not null,
  read_at text,
  done_at text,
  snoozed_until text,
  mail_at text,
  letter_id text,
  created_at text not null,
  primary key (workspace_id, user_id, id),
  unique (workspace_id, user_id, key),
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index notifications_open on notifications (workspace_id, user_id, id)
  where in_inbox = 1 and done_at is null;
create index notifications_task on notifications (workspace_id, task_id) where task_id is not null;
create index notifications_mail on notifications (mail_at) where mail_at is not null;
create index notifications_letter on notifications (workspace_id, letter_id) where letter_id is not null;
create index notifications_created on notifications (created_at);
create table task_watches (
  workspace_id text not null,
  task_id text not null,
  user_id text not null,
  is_muted integer not null,
  primary key (workspace_id, task_id, user_id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create table notification_settings (
  workspace_id text not null,
  user_id text not null,
  wishes text not null,
  primary key (workspace_id, user_id),
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id)
);
create table notification_letters (
  workspace_id text not null,
  id text not null,
  user_id text not null,
  attempts integer not null,
  next_at text not null,
  created_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id)
);
create index notification_letters_next on notification_letters (next_at);
create index notification_letters_user on notification_letters (workspace_id, user_id);
`,
}
