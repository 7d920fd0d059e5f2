import type { Migration } from '../migrations.ts'

/** What was done to a task, for as long as it is there. That it was made its own row tells. */
export const activity: Migration = {
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
