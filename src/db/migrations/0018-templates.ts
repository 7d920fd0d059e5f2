import type { Migration } from '../migrate/migrations.ts'

/** Templates of a project: tasks to create, as JSON. */
export const templatesMigration: Migration = {
  name: '0018-templates',
  sql: `
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
`,
}
