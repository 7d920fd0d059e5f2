import { sql } from 'kysely'
import { command, query, queryOfAll, row, type Scoped } from './statement.ts'

/** Whether the workspace in a column was deleted by an owner: nothing comes out of it, or in. */
export const isDeletedWorkspace = (column: `${string}.workspace_id`) =>
  sql<boolean>`exists (select 1 from workspaces as gone
    where gone.id = ${sql.ref(column)} and gone.deleted_at is not null)`

/** The workspace at hand: its name, and since when it is deleted, if it is. */
export const workspaceState = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select(['id', 'name', 'deleted_at']).where('id', '=', $.workspace_id),
)

/**
 * Notes that it is deleted. Whoever sends for it loses the claim with it: what is on its way is sent again
 * if the workspace is restored, and not before.
 */
export const noteDeleted = command((db, $: Scoped<{ deleted_at: string }>) =>
  db
    .updateTable('workspaces')
    .set((is) => ({
      ...row($, 'deleted_at'),
      dispatcher_id: null,
      dispatch_token: is('dispatch_token', '+', 1),
    }))
    .where('id', '=', $.workspace_id)
    .where('deleted_at', 'is', null),
)

export const noteRestored = command((db, $: Scoped) =>
  db
    .updateTable('workspaces')
    .set({ deleted_at: null })
    .where('id', '=', $.workspace_id)
    .where('deleted_at', 'is not', null),
)

/** Workspaces that were deleted so long ago and are not given up yet, the first first. */
export const deletedBefore = queryOfAll((db, $: { before: string; limit: number }) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'deleted_at'])
    .where('deleted_at', '<=', $.before)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('installation')
            .select('installation.name')
            .where('installation.name', '=', sql<string>`'abandoned ' || workspaces.id`),
        ),
      ),
    )
    .orderBy('deleted_at')
    .orderBy('id')
    .limit($.limit),
)
