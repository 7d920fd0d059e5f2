import type { Migration } from '../migrate/migrations.ts'

/**
 * Saved views of a project. `only_for` is the user who alone sees a view, and empty for shared views,
 * so the views that a user sees are two ranges of the index. Pins belong to a user.
 */
export const viewsMigration: Migration = {
  name: '0013-views',
  sql: `
create table views (
  workspace_id text not null references workspaces,
  id text not null,
  project_id text not null,
  name text not null,
  view text not null,
  filter text not null,
  sort text not null,
  grouping text not null,
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
`,
}
