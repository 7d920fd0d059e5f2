import { sql } from 'kysely'
import { command, pickSlots, query, type Scoped, unscopedQuery } from '../core/statement.ts'

/** Whether the workspace in a column was deleted by an owner: it neither sends nor accepts data. */
export const isDeletedWorkspace = (column: `${string}.workspace_id`) =>
  sql<boolean>`exists (select 1 from workspaces as gone
    where gone.id = ${sql.ref(column)} and gone.deleted_at is not null)`

/** The transaction's workspace: its name, and when it was deleted. */
export const workspaceState = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select(['id', 'name', 'deleted_at']).where('id', '=', $.workspace_id),
)

/**
 * Marks the workspace as deleted and takes the claim from its dispatcher: deliveries that are under
 * way are sent again only if the workspace is restored.
 */
export const markWorkspaceDeleted = command((db, $: Scoped<{ deleted_at: string }>) =>
  db
    .updateTable('workspaces')
    .set((is) => ({
      ...pickSlots($, 'deleted_at'),
      dispatcher_id: null,
      dispatch_token: is('dispatch_token', '+', 1),
    }))
    .where('id', '=', $.workspace_id)
    .where('deleted_at', 'is', null),
)

export const markWorkspaceRestored = command((db, $: Scoped) =>
  db
    .updateTable('workspaces')
    .set({ deleted_at: null })
    .where('id', '=', $.workspace_id)
    .where('deleted_at', 'is not', null),
)

/** Workspaces deleted up to `before` that are not abandoned yet, oldest first. */
export const workspacesDeletedBefore = unscopedQuery((db, $: { before: string; limit: number }) =>
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
