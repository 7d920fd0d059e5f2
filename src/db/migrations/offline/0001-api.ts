import type { Migration } from '../../migrate/migrations.ts'

/**
 * Every key begins with workspace_id, so a row of one workspace cannot refer to another. Ids are
 * generated in order, so the primary key of a table is also its order of creation.
 */
export const apiMigration: Migration = {
  name: '0001-api',
  sql: `
create table installation (name text primary key, value text not null);
create table workspaces (
  id text primary key,
  name text not null,
  plan text not null,
  timezone text not null,
  last_sequence bigint not null,
  created_at text not null,
  updated_at text not null
);
create table users (
  id text primary key,
  email text not null unique,
  name text not null,
  avatar_url text,
  timezone text not null,
  locale text not null,
  password_hash text,
  created_at text not null,
  updated_at text not null
);
create table memberships (
  workspace_id text not null references workspaces,
  user_id text not null references users,
  role text not null,
  name_key text not null,
  name_words text not null,
  joined_at text not null,
  removed_at text,
  last_active_at text,
  primary key (workspace_id, user_id)
);
create index memberships_joined on memberships (workspace_id, joined_at, user_id);
create index memberships_name on memberships (workspace_id, name_key, user_id);
create table api_keys (
  workspace_id text not null references workspaces,
  id text not null,
  user_id text not null,
  name text not null,
  hash text not null unique,
  hint text not null,
  scopes text not null,
  expires_at text,
  last_used_at text,
  created_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, user_id) references memberships
);
create index api_keys_user on api_keys (workspace_id, user_id);
create index api_keys_id on api_keys (id);
create table projects (
  workspace_id text not null references workspaces,
  id text not null,
  name text not null,
  name_key text not null,
  name_words text not null,
  prefix text not null,
  description text,
  color text not null,
  icon text,
  archived_at text,
  lead_id text,
  visibility text not null,
  start_date text,
  target_date text,
  statuses text not null,
  last_number integer not null,
  backlog_count integer not null,
  unstarted_count integer not null,
  started_count integer not null,
  completed_count integer not null,
  canceled_count integer not null,
  created_by_id text not null,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id)
);
create index projects_updated on projects (workspace_id, updated_at, id);
create index projects_name on projects (workspace_id, name_key, id);
create index projects_id on projects (id);
create table project_prefixes (
  workspace_id text not null,
  prefix text not null,
  project_id text not null,
  primary key (workspace_id, prefix),
  foreign key (workspace_id, project_id) references projects
);
create table project_people (
  workspace_id text not null,
  project_id text not null,
  user_id text not null,
  primary key (workspace_id, project_id, user_id),
  foreign key (workspace_id, project_id) references projects,
  foreign key (workspace_id, user_id) references memberships
);
create table tasks (
  {search_id}
  workspace_id text not null,
  id text not null,
  project_id text not null,
  number integer not null,
  title text not null,
  description text,
  status text not null,
  status_category text not null,
  completed_at text,
  completed_by_id text,
  canceled_at text,
  priority text not null,
  priority_rank integer not null,
  assignee_ids text not null,
  tag_ids text not null,
  blocked_by_ids text not null,
  blocking_ids text not null,
  start_date text,
  due_date text,
  due_at text,
  parent_id text,
  position text not null,
  estimate_seconds integer,
  time_spent_seconds bigint not null,
  recurrence text,
  recurred_from_id text,
  custom_fields text not null,
  external_source text,
  external_id text,
  metadata text not null,
  comment_count integer not null,
  attachment_count integer not null,
  subtask_count integer not null,
  completed_subtask_count integer not null,
  version integer not null,
  created_by_id text not null,
  created_at text not null,
  updated_at text not null,
  deleted_at text,
  deleted_by_operation_id text,
  {shown}
  unique (workspace_id, id),
  foreign key (workspace_id, project_id) references projects
);
create unique index tasks_number on tasks (workspace_id, project_id, number);
create unique index tasks_position on tasks (workspace_id, project_id, position);
create index tasks_status on tasks (workspace_id, project_id, status, position);
create index tasks_project on tasks (workspace_id, project_id, id);
create index tasks_project_updated on tasks (workspace_id, project_id, updated_at, id);
create index tasks_project_due on tasks (workspace_id, project_id, due_date, id)
  where due_date is not null;
create index tasks_project_priority on tasks (workspace_id, project_id, priority_rank, id);
create index tasks_updated on tasks (workspace_id, updated_at, id);
create index tasks_due on tasks (workspace_id, due_date, id) where due_date is not null;
create index tasks_priority on tasks (workspace_id, priority_rank, id);
create index tasks_parent on tasks (workspace_id, parent_id, id) where parent_id is not null;
create index tasks_deleted on tasks (workspace_id, deleted_at, id) where deleted_at is not null;
create index tasks_creator on tasks (workspace_id, created_by_id, id);
create index tasks_completed on tasks (workspace_id, project_id, completed_at, id)
  where completed_at is not null;
create unique index tasks_external on tasks (workspace_id, external_source, external_id)
  where external_id is not null and deleted_at is null;
create table task_numbers (
  workspace_id text not null,
  project_id text not null,
  number integer not null,
  task_id text not null,
  primary key (workspace_id, project_id, number),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index task_numbers_task on task_numbers (workspace_id, task_id, project_id);
create table task_assignees (
  workspace_id text not null,
  user_id text not null,
  task_id text not null,
  primary key (workspace_id, user_id, task_id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index task_assignees_task on task_assignees (workspace_id, task_id, user_id);
create table tags (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  name text not null,
  name_key text not null,
  name_words text not null,
  color text not null,
  task_count integer not null,
  created_by_id text not null,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects
);
create unique index tags_name on tags (workspace_id, project_id, name_key);
create index tags_project on tags (workspace_id, project_id, id);
create table task_tags (
  workspace_id text not null,
  tag_id text not null,
  task_id text not null,
  primary key (workspace_id, tag_id, task_id),
  foreign key (workspace_id, tag_id) references tags,
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index task_tags_task on task_tags (workspace_id, task_id, tag_id);
create table task_blocks (
  workspace_id text not null,
  task_id text not null,
  blocker_id text not null,
  primary key (workspace_id, task_id, blocker_id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade,
  foreign key (workspace_id, blocker_id) references tasks (workspace_id, id) on delete cascade
);
create index task_blocks_blocker on task_blocks (workspace_id, blocker_id, task_id);
create table comments (
  workspace_id text not null,
  id text not null,
  task_id text not null,
  author_id text not null,
  body text not null,
  parent_id text,
  mentions text not null,
  source text not null,
  edited_at text,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index comments_task on comments (workspace_id, task_id, id);
create table time_entries (
  workspace_id text not null,
  id text not null,
  task_id text not null,
  user_id text not null,
  started_at text,
  ended_at text,
  duration_seconds integer,
  spent_on text not null,
  note text,
  billable integer not null,
  source text not null,
  created_by_id text not null,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index time_entries_task on time_entries (workspace_id, task_id, id);
create index time_entries_spent on time_entries (workspace_id, task_id, spent_on, id);
create unique index time_entries_running on time_entries (workspace_id, user_id)
  where duration_seconds is null;
create index time_entries_due on time_entries (started_at) where duration_seconds is null;
create table webhooks (
  workspace_id text not null references workspaces,
  id text not null,
  url text not null,
  description text,
  events text not null,
  project_ids text,
  is_active integer not null,
  disabled_reason text,
  failure_count integer not null,
  last_delivery_at text,
  last_success_at text,
  last_failure_at text,
  sealed_secret text not null,
  secret_hint text not null,
  sealed_previous_secret text,
  previous_secret_expires_at text,
  enabled_after_sequence bigint not null,
  created_by_id text not null,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id)
);
create table events (
  workspace_id text not null references workspaces,
  sequence bigint not null,
  id text not null,
  type text not null,
  project_id text,
  former_project_id text,
  subject_id text not null,
  payload text not null,
  created_at text not null,
  primary key (workspace_id, sequence)
);
create index events_type on events (workspace_id, type, sequence);
create index events_project on events (workspace_id, project_id, sequence);
create table replies (
  workspace_id text not null references workspaces,
  user_id text not null,
  credential text not null,
  key text not null,
  fingerprint text not null,
  status integer not null,
  body text not null,
  location text,
  etag text,
  operation_id text,
  created_at text not null,
  primary key (workspace_id, user_id, credential, key)
);
create index replies_created on replies (created_at);
`,
  // The JSON of the record from `title` on, written once per change: building it at each read took
  // most of the time of a list.
  onlyOnSqlite: {
    search_id: 'search_id integer primary key autoincrement,',
    shown: `shown text generated always as (concat(
      ',"title":', json_quote(title),
      ',"description":', iif(description is null, 'null', json_quote(description)),
      ',"status":"', status,
      '","status_category":"', status_category,
      '","completed_at":', iif(completed_at is null, 'null', json_quote(completed_at)),
      ',"completed_by_id":', iif(completed_by_id is null, 'null', json_quote(completed_by_id)),
      ',"canceled_at":', iif(canceled_at is null, 'null', json_quote(canceled_at)),
      ',"priority":"', priority,
      '","assignee_ids":', coalesce(assignee_ids, 'null'),
      ',"tag_ids":', coalesce(tag_ids, 'null'),
      ',"start_date":', iif(start_date is null, 'null', json_quote(start_date)),
      ',"due_date":', iif(due_date is null, 'null', json_quote(due_date)),
      ',"due_at":', iif(due_at is null, 'null', json_quote(due_at)),
      ',"parent_id":', iif(parent_id is null, 'null', json_quote(parent_id)),
      ',"position":"', position,
      '","estimate_seconds":', iif(estimate_seconds is null, 'null', json_quote(estimate_seconds)),
      ',"time_spent_seconds":', time_spent_seconds,
      ',"blocked_by_ids":', coalesce(blocked_by_ids, 'null'),
      ',"blocking_ids":', coalesce(blocking_ids, 'null'),
      ',"recurrence":', coalesce(recurrence, 'null'),
      ',"recurred_from_id":', iif(recurred_from_id is null, 'null', json_quote(recurred_from_id)),
      ',"custom_fields":', coalesce(custom_fields, 'null'),
      ',"external_source":', iif(external_source is null, 'null', json_quote(external_source)),
      ',"external_id":', iif(external_id is null, 'null', json_quote(external_id)),
      ',"metadata":', coalesce(metadata, 'null'),
      ',"comment_count":', comment_count,
      ',"attachment_count":', attachment_count,
      ',"subtask_count":', subtask_count,
      ',"completed_subtask_count":', completed_subtask_count,
      ',"version":', version,
      ',"created_by_id":"', created_by_id,
      '","created_at":"', created_at,
      '","updated_at":"', updated_at,
      '","deleted_at":', iif(deleted_at is null, 'null', json_quote(deleted_at)),
      '}'
    )) stored,`,
  },
  sqlite: `
create virtual table task_words using fts5(
  words, content='', contentless_delete=1, tokenize='ascii', detail=none
);`,
  postgres: `
create table task_words (
  workspace_id text not null,
  task_id text not null,
  words tsvector not null,
  primary key (workspace_id, task_id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index task_words_words on task_words using gin (words);`,
}
