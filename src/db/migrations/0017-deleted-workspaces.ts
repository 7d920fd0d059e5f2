import type { Migration } from '../migrate/migrations.ts'

/** When an owner deleted a workspace, which can be restored for a while. */
export const deletedWorkspacesMigration: Migration = {
  name: '0017-deleted-workspaces',
  sql: 'alter table workspaces add column deleted_at text;',
}

export const deletedWorkspacesIndexMigration: Migration = {
  name: '0017-deleted-workspaces-index',
  index: {
    name: 'workspaces_deleted',
    table: 'workspaces',
    columns: '(deleted_at, id) where deleted_at is not null',
  },
}
