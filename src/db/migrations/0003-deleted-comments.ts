import type { Migration } from '../migrate/migrations.ts'

/** Deleted comments are rows of another table, so that no statement reads one by mistake. */
export const deletedCommentsMigration: Migration = {
  name: '0003-deleted-comments',
  sql: `
create table deleted_comments (
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
  deleted_at text not null,
  deleted_by_id text,
  primary key (workspace_id, id),
  foreign key (workspace_id, task_id) references tasks (workspace_id, id) on delete cascade
);
create index deleted_comments_task on deleted_comments (workspace_id, task_id, id);
create index deleted_comments_time on deleted_comments (workspace_id, deleted_at, id);
create index deleted_comments_author on deleted_comments (workspace_id, author_id, deleted_at, id);
`,
}
