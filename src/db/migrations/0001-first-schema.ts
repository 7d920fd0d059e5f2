import type { DatabaseEngine } from '#core/transaction.ts'
import type { Migration } from '../migrate/migrations.ts'

/**
 * The schema of release 1.0.0. Every key begins with workspace_id, so a row of one workspace cannot
 * refer to another. Ids are generated in order, so the primary key of a table is also its order of
 * creation.
 */
export const firstSchemaMigration: Migration = {
  name: '0001-first-schema',
  sql: (engine) =>
    [
      WORKSPACES,
      SIGN_IN,
      CREDENTIALS,
      projectsAndTasks(engine),
      EVENTS_AND_WEBHOOKS,
      NOTIFICATIONS,
      AUDIT,
      JOBS,
      REQUESTS,
      engine === 'sqlite' ? SQLITE_SEARCH : POSTGRES_SEARCH,
      engine === 'sqlite' ? SQLITE_STATISTICS : POSTGRES_RATE_LIMITS,
      renderTriggers(engine),
    ].join(''),
}

/** The installation, its workspaces, and the people in them. */
const WORKSPACES = `
create table installation (
  name text primary key,
  value text not null
);
create table workspaces (
  id text primary key,
  name text not null,
  plan text not null,
  timezone text not null,
  requires_second_factor bigint not null default 0,
  last_sequence bigint not null,
  last_change_number bigint not null default 0,
  tombstones_from bigint not null default 0,
  log_from_sequence bigint not null default 1,
  fanned_out_sequence bigint not null default 0,
  has_unsent_events integer not null default 0,
  dispatcher_id text,
  dispatch_token bigint not null default 0,
  attachment_bytes bigint not null default 0,
  content_bytes bigint not null default 0,
  history_bytes bigint not null default 0,
  created_at text not null,
  updated_at text not null,
  deleted_at text
);
create index workspaces_unsent on workspaces (id) where has_unsent_events = 1;
create index workspaces_deleted on workspaces (deleted_at, id) where deleted_at is not null;
create table users (
  id text primary key,
  email text not null unique,
  verified_email text,
  name text not null,
  avatar_url text,
  timezone text not null,
  locale text not null,
  password_hash text,
  last_workspace_id text,
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
  change_number bigint not null default 0,
  primary key (workspace_id, user_id)
);
create index memberships_joined on memberships (workspace_id, joined_at, user_id);
create index memberships_name on memberships (workspace_id, name_key, user_id);
create index memberships_user on memberships (user_id);
create index memberships_change on memberships (workspace_id, change_number, user_id)
  where change_number > 0;
`

/**
 * Sessions of the web app, and the other ways to sign in. Cookies, links and addresses are stored as
 * hashes. A session belongs to a user and has one current workspace. A step of a sign-in is the state
 * between two of its requests.
 */
const SIGN_IN = `
create table sessions (
  id text primary key,
  hash text not null unique,
  user_id text not null references users,
  workspace_id text not null,
  signed_in_by text,
  two_factors bigint not null default 0,
  user_agent text not null,
  address text,
  created_at text not null,
  last_used_at text not null,
  confirmed_at text,
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
create table second_factors (
  user_id text primary key references users on delete cascade,
  sealed_secret text not null,
  last_step bigint not null,
  enabled_at text,
  created_at text not null
);
create table recovery_codes (
  user_id text not null references users on delete cascade,
  hash text not null,
  primary key (user_id, hash)
);
create table passkeys (
  id text primary key,
  user_id text not null references users on delete cascade,
  credential text not null unique,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  name text not null,
  created_at text not null,
  last_used_at text
);
create index passkeys_user on passkeys (user_id, id);
create table company_links (
  issuer text not null,
  subject text not null,
  user_id text not null references users on delete cascade,
  email text,
  created_at text not null,
  last_used_at text,
  primary key (issuer, subject)
);
create index company_links_user on company_links (user_id);
create table sign_in_steps (
  hash text primary key,
  kind text not null,
  user_id text references users on delete cascade,
  payload text not null,
  expires_at text not null
);
create index sign_in_steps_user on sign_in_steps (user_id);
create index sign_in_steps_expire on sign_in_steps (expires_at);
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
`

/**
 * API keys, third-party applications, the grants that users gave them, and the authorization server's
 * requests, codes and tokens, of which only hashes are stored. An application without a workspace
 * belongs to the whole installation; the first one is the command line.
 */
const CREDENTIALS = `
create table api_keys (
  workspace_id text not null references workspaces,
  id text not null,
  user_id text not null,
  name text not null,
  hash text not null unique,
  hint text not null,
  scopes text not null,
  rate_limit bigint,
  expires_at text,
  last_used_at text,
  created_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, user_id) references memberships
);
create index api_keys_user on api_keys (workspace_id, user_id);
create index api_keys_id on api_keys (id);
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
  repeated_at text,
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
`

/**
 * The JSON of a task from `title` to `deleted_at`, written once per change: building it at each read
 * takes most of the time of a list. SQLite cannot change such a column, so this stays as it is; the JSON
 * of fields that are added later is appended at each read (resources/tasks/task-json.ts).
 */
const TASK_JSON_COLUMN = `shown text generated always as (concat(
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
      '","deleted_at":', iif(deleted_at is null, 'null', json_quote(deleted_at))
    )) stored,`

/**
 * Projects, tasks and what belongs to a task. The bytes of attachments are stored separately, under
 * the workspace and the row's id; after a row is deleted, `doomed_files` keeps its id until the file is
 * deleted too. The due date of a task stands beside each of its assignees, so that the tasks of one
 * person are read in the order of due dates. `only_for` is the user who alone sees a view, and empty
 * for shared views, so the views that a user sees are two ranges of the index.
 */
const projectsAndTasks = (engine: DatabaseEngine) => `
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
  change_number bigint not null default 0,
  primary key (workspace_id, id)
);
create index projects_updated on projects (workspace_id, updated_at, id);
create index projects_name on projects (workspace_id, name_key, id);
create index projects_id on projects (id);
create index projects_change on projects (workspace_id, change_number, id) where change_number > 0;
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
  ${engine === 'sqlite' ? 'search_id integer primary key autoincrement,' : ''}
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
  change_number bigint not null default 0,
  ${engine === 'sqlite' ? TASK_JSON_COLUMN : ''}
  unique (workspace_id, id),
  foreign key (workspace_id, project_id) references projects
);
create unique index tasks_number on tasks (workspace_id, project_id, number);
create unique index tasks_position on tasks (workspace_id, project_id, position);
create index tasks_status on tasks (workspace_id, project_id, status, id);
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
create index tasks_change on tasks (workspace_id, change_number, id) where change_number > 0;
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
  due_date text,
  primary key (workspace_id, user_id, task_id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index task_assignees_task on task_assignees (workspace_id, task_id, user_id);
create index task_assignees_due on task_assignees (workspace_id, user_id, due_date, task_id);
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
  change_number bigint not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects
);
create unique index tags_name on tags (workspace_id, project_id, name_key);
create index tags_project on tags (workspace_id, project_id, id);
create index tags_change on tags (workspace_id, change_number, id) where change_number > 0;
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
create table activity (
  workspace_id text not null,
  id text not null,
  task_id text not null,
  kind text not null,
  changes text not null,
  actor_type text not null,
  actor_id text,
  credential_name text,
  created_at text not null,
  primary key (workspace_id, task_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
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
  change_number bigint not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index comments_task on comments (workspace_id, task_id, id);
create index comments_author on comments (workspace_id, author_id, id);
create index comments_change on comments (workspace_id, change_number, id) where change_number > 0;
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
  change_number bigint not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index time_entries_task on time_entries (workspace_id, task_id, id);
create index time_entries_spent on time_entries (workspace_id, task_id, spent_on, id);
create unique index time_entries_running on time_entries (workspace_id, user_id)
  where duration_seconds is null;
create index time_entries_due on time_entries (started_at) where duration_seconds is null;
create index time_entries_day on time_entries
  (workspace_id, spent_on, task_id, user_id, billable, duration_seconds);
create index time_entries_change on time_entries (workspace_id, change_number, id)
  where change_number > 0;
create table attachments (
  workspace_id text not null,
  id text not null,
  task_id text not null,
  filename text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_by_id text not null,
  created_at text not null,
  change_number bigint not null default 0,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index attachments_task on attachments (workspace_id, task_id, created_at, id);
create index attachments_change on attachments (workspace_id, change_number, id)
  where change_number > 0;
create table doomed_files (
  workspace_id text not null references workspaces,
  id text not null,
  doomed_at text not null,
  primary key (workspace_id, id)
);
create index doomed_files_at on doomed_files (doomed_at);
create table templates (
  workspace_id text not null,
  id text not null,
  project_id text not null,
  name text not null,
  tasks text not null,
  task_count integer not null,
  created_by_id text not null,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects
);
create index templates_project on templates (workspace_id, project_id, id);
create table views (
  workspace_id text not null references workspaces,
  id text not null,
  project_id text,
  name text not null,
  view text not null,
  filter text not null,
  sort text not null,
  grouping text not null,
  lanes text not null default 'none',
  only_for text not null,
  created_by_id text not null,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, project_id) references projects
);
create index views_of_project on views (workspace_id, project_id, only_for, id);
create table view_pins (
  workspace_id text not null,
  user_id text not null,
  view_id text not null,
  position integer not null,
  primary key (workspace_id, user_id, view_id),
  foreign key (workspace_id, view_id) references views
);
create index view_pins_of_view on view_pins (workspace_id, view_id);
`

/**
 * Events, and their delivery to webhooks. A webhook is a queue: `next_due_at` says when it has work, so
 * that due webhooks are found without reading pending deliveries. A delivery is ready when it is
 * pending and not `blocked` by an earlier one about the same subject.
 */
const EVENTS_AND_WEBHOOKS = `
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
create index events_former_project on events (workspace_id, former_project_id, sequence)
  where former_project_id is not null;
create index events_former_project_type on events (workspace_id, former_project_id, type, sequence)
  where former_project_id is not null;
create index events_project_type on events (workspace_id, project_id, type, sequence);
create table tombstones (
  workspace_id text not null references workspaces,
  change_number bigint not null,
  record_id text not null,
  project_id text not null,
  user_id text not null,
  created_at text not null,
  primary key (workspace_id, change_number, record_id, project_id, user_id)
);
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
  failing_since text,
  last_delivery_at text,
  last_success_at text,
  last_failure_at text,
  sealed_secret text not null,
  secret_hint text not null,
  sealed_previous_secret text,
  previous_secret_expires_at text,
  enabled_after_sequence bigint not null,
  activation integer not null default 0,
  has_stale integer not null default 0,
  next_due_at text,
  pending_count integer not null default 0,
  created_by_id text not null,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id)
);
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
`

/**
 * Notifications, watched tasks and notification preferences. `key` identifies an occasion of which a
 * user is notified once.
 */
const NOTIFICATIONS = `
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
  email_job_id text,
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
create index notifications_email on notifications (workspace_id, email_job_id)
  where email_job_id is not null;
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
`

/**
 * The audit log: entries of each workspace and of the installation, and the last sequence of each log,
 * which is locked while entries are added. There are no foreign keys to other tables, because entries
 * outlive their subjects.
 */
const AUDIT = `
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
create index audit_entries_action on audit_entries (workspace_id, action, sequence);
create index audit_entries_actor on audit_entries (workspace_id, actor_id, sequence);
create table audit_heads (
  workspace_id text primary key,
  sequence bigint not null,
  hash text not null,
  updated_at text not null
);
create index audit_heads_updated on audit_heads (updated_at, workspace_id);
`

/**
 * Background jobs, imports from other tools, and exports. `workspace_id` is '' for a job of no
 * workspace, so it references none. `run_at` is when a process may claim the job: while one runs it,
 * the end of its lease. The rows of an imported file are kept for some time after the run: `place` is
 * their order, null for rows that create nothing; `task_id` and `fault` are the result, so that a
 * killed run can continue.
 */
const JOBS = `
create table jobs (
  workspace_id text not null,
  id text not null,
  kind text not null,
  key text,
  payload text not null,
  secret text,
  status text not null,
  run_at text not null,
  attempts integer not null,
  deaths integer not null default 0,
  token bigint not null,
  again integer not null,
  progress text not null,
  error text,
  created_at text not null,
  ended_at text,
  primary key (workspace_id, id)
);
create index jobs_id on jobs (id);
create index jobs_due on jobs (kind, run_at) where ended_at is null;
create unique index jobs_key on jobs (workspace_id, kind, key)
  where ended_at is null and key is not null;
create index jobs_ended on jobs (status, ended_at) where ended_at is not null;
create table imports (
  workspace_id text not null references workspaces (id),
  id text not null,
  created_by_id text not null,
  file_id text,
  filename text not null,
  size_bytes bigint not null,
  kind text,
  status text not null,
  plan text not null,
  made text not null,
  row_count bigint not null,
  done_count bigint not null,
  made_count bigint not null,
  failed_count bigint not null,
  warned_count bigint not null default 0,
  error text,
  created_at text not null,
  updated_at text not null,
  primary key (workspace_id, id)
);
create index imports_status on imports (status, updated_at);
create unique index imports_file on imports (workspace_id, file_id) where file_id is not null;
create table import_rows (
  workspace_id text not null,
  import_id text not null,
  number bigint not null,
  place bigint,
  key text,
  row text not null,
  task_id text,
  fault text,
  warning text,
  primary key (workspace_id, import_id, number),
  foreign key (workspace_id, import_id) references imports (workspace_id, id)
);
create index import_rows_place on import_rows (workspace_id, import_id, place);
create index import_rows_key on import_rows (workspace_id, import_id, key) where key is not null;
create index import_rows_fault on import_rows (workspace_id, import_id, number)
  where fault is not null;
create index import_rows_warning on import_rows (workspace_id, import_id, number)
  where warning is not null;
create table exports (
  workspace_id text not null references workspaces (id),
  id text not null,
  created_by_id text not null,
  status text not null,
  file_id text,
  filename text not null,
  size_bytes bigint not null,
  sha256 text,
  progress text not null,
  error text,
  created_at text not null,
  updated_at text not null,
  expires_at text,
  primary key (workspace_id, id)
);
create index exports_status on exports (status, updated_at);
create unique index exports_file on exports (workspace_id, file_id) where file_id is not null;
`

/**
 * Replies by idempotency key; and, for a day, the number of requests per minute and credential ('' for
 * all besides the busiest).
 */
const REQUESTS = `
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
`

/**
 * Search words of tasks and comments. A comment gets a stable number as its rowid in the full-text
 * index (rowids of a table without such a column may change), and deleted comments leave the index by
 * triggers, as on PostgreSQL. Prefixes of up to three letters after the workspace prefix have an index
 * of their own: collecting all words with a prefix would take 20 ms for 100,000 comments.
 */
const SQLITE_SEARCH = `
create virtual table task_words using fts5(
  words, content='', contentless_delete=1, tokenize='ascii', detail=none
);
create table searched_comments (
  search_id integer primary key autoincrement,
  workspace_id text not null,
  comment_id text not null,
  unique (workspace_id, comment_id),
  foreign key (workspace_id, comment_id) references comments (workspace_id, id) on delete cascade
);
create virtual table comment_words using fts5(
  words, content='', contentless_delete=1, tokenize='ascii', detail=none, prefix='10 11 12'
);
create trigger comments_number after insert on comments begin
  insert into searched_comments (workspace_id, comment_id) values (new.workspace_id, new.id);
end;
create trigger comments_forget before delete on comments begin
  delete from comment_words where rowid = (select search_id from searched_comments
    where workspace_id = old.workspace_id and comment_id = old.id);
end;
`

const POSTGRES_SEARCH = `
create table task_words (
  workspace_id text not null,
  task_id text not null,
  words tsvector not null,
  primary key (workspace_id, task_id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index task_words_words on task_words using gin (words);
create table comment_words (
  workspace_id text not null,
  comment_id text not null,
  words tsvector not null,
  primary key (workspace_id, comment_id),
  foreign key (workspace_id, comment_id) references comments (workspace_id, id) on delete cascade
);
create index comment_words_words on comment_words using gin (words);
`

/**
 * Without statistics SQLite assumes ten rows per workspace, and scans all its deliveries when it is
 * given the ids of some. These figures describe a large workspace: total rows, then rows per value of
 * each further index column. They are never measured again.
 */
const SQLITE_STATISTICS = `
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
analyze sqlite_schema;
`

/**
 * Rate-limit counts per minute, for processes that share a PostgreSQL and have no Redis; and the
 * processes that share rate limits, so that each knows its share while Redis is gone.
 */
const POSTGRES_RATE_LIMITS = `
create unlogged table rate_windows (
  name text not null,
  ends_at bigint not null,
  used integer not null,
  used_before integer not null,
  most integer not null,
  wanted integer not null,
  primary key (name, ends_at)
) with (fillfactor = 50);
create index rate_windows_ends on rate_windows (ends_at);
create unlogged table limit_processes (
  id text not null primary key,
  seen_at bigint not null
);
`

/** The number of the write that is running, which its commit makes the newest of the workspace. */
const numberIn = (row: 'old' | 'new') =>
  `(select last_change_number + 1 from workspaces where id = ${row}.workspace_id)`

/** What the engines write differently in a trigger. */
interface TriggerSyntax {
  now: string
  insert: string
  onConflict: string
  create(trigger: Trigger): string
}

interface Trigger {
  name: string
  event: string
  table: string
  when: string
  body: string
}

const SQLITE: TriggerSyntax = {
  now: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
  insert: 'insert or ignore into',
  onConflict: '',
  create: ({ name, event, table, when, body }) =>
    `create trigger ${name} after ${event} on ${table} when ${when} begin\n${body}\nend;\n`,
}

const POSTGRES: TriggerSyntax = {
  now: `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  insert: 'insert into',
  onConflict: ' on conflict do nothing',
  create: ({ name, event, table, when, body }) =>
    `create function ${name}() returns trigger as $$ begin\n${body}\nreturn null; end $$ language plpgsql;
create trigger ${name} after ${event} on ${table} for each row when (${when})
  execute function ${name}();\n`,
}

/** Inserts tombstones from a selection of record_id, project_id and user_id. */
const tombstones = ({ now, insert, onConflict }: TriggerSyntax, row: 'old' | 'new', of: string) =>
  `  ${insert} tombstones (workspace_id, change_number, record_id, project_id, user_id, created_at)
    select ${row}.workspace_id, ${numberIn(row)}, gone.record_id, gone.project_id, gone.user_id, ${now}
    from (${of}) as gone${onConflict};`

const CHILD_TABLES = ['comments', 'time_entries', 'attachments'] as const

/** Gives the comments, time entries and attachments of a task the number of the write. */
const renumberChildren = CHILD_TABLES.map(
  (table) => `  update ${table} set change_number = ${numberIn('new')}
    where workspace_id = new.workspace_id and task_id = new.id;`,
).join('\n')

/** Whether a member with this role, which is '' for nobody, sees a project. */
const seesProject = (role: string, visibility: string, lead: string, isListed: string) =>
  `(${role} in ('owner', 'admin') or (${role} = 'member' and (${visibility} = 'workspace' or ${lead}))
      or (${role} in ('member', 'guest') and ${isListed}))`

const roleOf = (row: 'old' | 'new') =>
  `(case when ${row}.removed_at is null then ${row}.role else '' end)`

/** Whether a person is in the people list of a project. */
const isListed = (project: string, user: string) =>
  `exists (select 1 from project_people as people where people.workspace_id = new.workspace_id
        and people.project_id = ${project} and people.user_id = ${user})`

/**
 * The feed of changes: each visible row has the number of the write that changed it last, rising in
 * the order of commits of its workspace. Tombstones say what is gone from a project, for everybody or
 * for one person; one whose record is a project means that person's sight of it changed, or (for
 * everybody) that all of its records changed; one whose record is a person, that all comments of that
 * person changed. What is rare is written by triggers, which no operation can forget: deletions, moves,
 * sight, names of people. All else is numbered by the statements themselves (`numberChanges` in
 * src/db/core), because triggers would cost each write more.
 */
const triggers = (syntax: TriggerSyntax): Trigger[] => [
  // Purged records leave tombstones too: a reader may be older than their deletion.
  ...CHILD_TABLES.map((table) => ({
    name: `${table}_tombstone`,
    event: 'delete',
    table,
    when: 'old.id is not null',
    body: tombstones(
      syntax,
      'old',
      `select old.id as record_id, tasks.project_id, '' as user_id from tasks
      where tasks.workspace_id = old.workspace_id and tasks.id = old.task_id`,
    ),
  })),
  ...(['tags', 'tasks'] as const).map((table) => ({
    name: `${table}_tombstone`,
    event: 'delete',
    table,
    when: 'old.id is not null',
    body: tombstones(
      syntax,
      'old',
      "select old.id as record_id, old.project_id as project_id, '' as user_id",
    ),
  })),
  {
    // Removing a member deletes these rows, too: if the person is added again later, a position from
    // before must lead to the projects that the person no longer sees.
    ...{ name: 'project_people_tombstone', event: 'delete', table: 'project_people' },
    when: 'old.user_id is not null',
    body: tombstones(
      syntax,
      'old',
      'select old.project_id as record_id, old.project_id as project_id, old.user_id as user_id',
    ),
  },
  {
    name: 'tasks_moved',
    event: 'update of project_id',
    table: 'tasks',
    when: 'old.project_id <> new.project_id',
    body: `${tombstones(
      syntax,
      'new',
      [
        "select old.id as record_id, old.project_id as project_id, '' as user_id",
        ...CHILD_TABLES.map(
          (table) => `select id, old.project_id, '' from ${table}
      where workspace_id = new.workspace_id and task_id = new.id`,
        ),
      ].join(' union all '),
    )}\n${renumberChildren}`,
  },
  {
    name: 'tasks_deleted_or_restored',
    event: 'update of deleted_at',
    table: 'tasks',
    when: '(old.deleted_at is null) <> (new.deleted_at is null)',
    body: renumberChildren,
  },
  {
    name: 'projects_reset',
    event: 'update of prefix',
    table: 'projects',
    when: 'old.prefix <> new.prefix',
    body: tombstones(
      syntax,
      'new',
      "select new.id as record_id, new.id as project_id, '' as user_id",
    ),
  },
  {
    name: 'projects_sight',
    event: 'update of visibility, lead_id',
    table: 'projects',
    when: "old.visibility <> new.visibility or coalesce(old.lead_id, '') <> coalesce(new.lead_id, '')",
    body: tombstones(
      syntax,
      'new',
      `select new.id as record_id, new.id as project_id, memberships.user_id from memberships
      where memberships.workspace_id = new.workspace_id and memberships.role = 'member'
        and memberships.removed_at is null
        and not ${isListed('new.id', 'memberships.user_id')}
        and (old.visibility = 'workspace' or coalesce(old.lead_id, '') = memberships.user_id)
          <> (new.visibility = 'workspace' or coalesce(new.lead_id, '') = memberships.user_id)`,
    ),
  },
  {
    name: 'memberships_sight',
    event: 'update of role, removed_at',
    table: 'memberships',
    when: `${roleOf('old')} <> ${roleOf('new')}`,
    body: tombstones(
      syntax,
      'new',
      `select 'members' as record_id, '' as project_id, new.user_id as user_id
      union all select projects.id, projects.id, new.user_id from projects
      where projects.workspace_id = new.workspace_id
        and ${(['old', 'new'] as const)
          .map((row) =>
            seesProject(
              roleOf(row),
              'projects.visibility',
              "coalesce(projects.lead_id, '') = new.user_id",
              isListed('projects.id', 'new.user_id'),
            ),
          )
          .join(' <> ')}`,
    ),
  },
  {
    name: 'users_changed',
    event: 'update of name, email, avatar_url, timezone, locale',
    table: 'users',
    when: `old.name <> new.name or old.email <> new.email or old.timezone <> new.timezone
      or old.locale <> new.locale or coalesce(old.avatar_url, '') <> coalesce(new.avatar_url, '')`,
    // First the counters, whose locks keep other writes of these workspaces away on PostgreSQL.
    body: `  update workspaces set last_change_number = last_change_number + 1
    where id in (select workspace_id from memberships where user_id = new.id);
  update memberships set change_number = (select last_change_number from workspaces
    where workspaces.id = memberships.workspace_id) where user_id = new.id;
  ${syntax.insert} tombstones (workspace_id, change_number, record_id, project_id, user_id, created_at)
    select workspaces.id, last_change_number, new.id, '', '', ${syntax.now} from workspaces
    where id in (select workspace_id from memberships where user_id = new.id)
      and (old.name <> new.name or coalesce(old.avatar_url, '') <> coalesce(new.avatar_url, ''))${syntax.onConflict};`,
  },
  {
    name: 'tasks_due_date',
    event: 'update of due_date',
    table: 'tasks',
    when: 'old.due_date is distinct from new.due_date',
    body: `  update task_assignees set due_date = new.due_date
    where workspace_id = new.workspace_id and task_id = new.id;`,
  },
]

const renderTriggers = (engine: DatabaseEngine) => {
  const syntax = engine === 'sqlite' ? SQLITE : POSTGRES
  return triggers(syntax).map(syntax.create).join('')
}
