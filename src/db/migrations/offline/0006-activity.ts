import type { Migration } from '../../migrate/migrations.ts'

/** Changes to a task, kept as long as the task. Its creation is visible from its own row. */
export const activityMigration: Migration = {
  name: '0006-activity',
  sql: `
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
`,
}
