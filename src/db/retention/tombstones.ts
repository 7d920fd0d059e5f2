import { command, query, type Scoped } from '../core/statement.ts'

/** The oldest tombstones of the feed of changes. */
export const oldestTombstones = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('tombstones')
    .select(['change_number', 'created_at'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('change_number')
    .limit($.limit),
)

/** From now on positions before this number have expired. */
export const expireTombstones = command((db, $: Scoped<{ until: number }>) =>
  db
    .updateTable('workspaces')
    .set({ tombstones_from: $.until })
    .where('id', '=', $.workspace_id)
    .where('tombstones_from', '<', $.until),
)

export const deleteTombstones = command((db, $: Scoped<{ until: number }>) =>
  db
    .deleteFrom('tombstones')
    .where('workspace_id', '=', $.workspace_id)
    .where('change_number', '<=', $.until),
)
