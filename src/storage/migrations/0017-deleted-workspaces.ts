import type { Migration } from '../migrations.ts'

/** When an owner has deleted a workspace, which can be restored for a while. */
export const deletedWorkspaces: Migration = {
  name: '0017-deleted-workspaces',
  sql: 'alter table workspaces add column deleted_at text;',
}

export const deletedWorkspacesIndex: Migration = {
  name: '0017-deleted-workspaces-index',
  index: {
    name: 'workspaces_deleted',
    table: 'workspaces',
    columns: '(deleted_at, id) where deleted_at is not null',
  },
}
