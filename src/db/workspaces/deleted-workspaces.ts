import { sql } from 'kysely'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import {
  command,
  memoizeByShape,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'
import { keysOfStep, sizeOfTexts } from '../retention/step-rows.ts'
import { TABLES, type Tables } from '../schema/tables.ts'

/** Whether the workspace in a column was deleted by an owner: it neither sends nor accepts data. */
export const isDeletedWorkspace = (column: `${string}.workspace_id`) =>
  sql<boolean>`exists (select 1 from workspaces as gone
    where gone.id = ${sql.ref(column)} and gone.deleted_at is not null)`

/** The transaction's workspace: its name, and when it was deleted. */
export const workspaceState = query((db) =>
  db.selectFrom('workspaces').select(['id', 'name', 'deleted_at']),
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
    .where('deleted_at', 'is', null),
)

export const markWorkspaceRestored = command((db) =>
  db.updateTable('workspaces').set({ deleted_at: null }).where('deleted_at', 'is not', null),
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

/**
 * Abandons a workspace: nobody can enter it any more, and the upkeep jobs delete its contents. The
 * transaction may belong to another workspace. Every process caches credentials, so the caller must
 * advance the identity generation.
 */
export async function abandonWorkspace(tx: WriteTx, workspace_id: string): Promise<void> {
  const params = { abandoned_id: workspace_id }
  await tx.run(deleteSessions, params)
  await tx.run(deleteApiKeys, params)
  await tx.run(deleteGrants, params)
  await tx.run(deleteApplications, params)
  await tx.run(endMemberships, { ...params, removed_at: tx.now })
  await tx.run(insertAbandonedMark, { name: MARK_PREFIX + workspace_id, value: tx.now })
  tx.audit('workspace.deleted', workspace_id, {}, INSTALLATION_AUDIT_LOG)
}

const MARK_PREFIX = 'abandoned '

/** Abandoned workspaces whose contents are not completely deleted yet. */
export const abandonedWorkspaces = unscopedQuery((db) =>
  db
    .selectFrom('installation')
    .select(sql<string>`substr(name, ${sql.lit(MARK_PREFIX.length + 1)})`.as('id'))
    .where('name', '>', MARK_PREFIX)
    .where('name', '<', `${MARK_PREFIX}~`)
    .orderBy('name'),
)

/** Whether a workspace is abandoned: it is being deleted and cannot be restored. */
export async function isAbandoned(tx: ReadTx, id: string): Promise<boolean> {
  return (await tx.one(abandonedMark, { name: MARK_PREFIX + id })) !== undefined
}

const abandonedMark = unscopedQuery((db, $: { name: string }) =>
  db.selectFrom('installation').select('name').where('name', '=', $.name),
)

/** The tables whose rows are purged with their workspace, in an order that foreign keys allow; `tasks` by task. */
export const TABLES_TO_PURGE = TABLES.flatMap(([table, { purge }]) =>
  purge === 'rows' || table === 'tasks' ? [table] : [],
).reverse()

/** Deletes at most `limit` rows of a table, and no more than a step may. */
export const purgeTableRows = memoizeByShape((table: keyof Tables) =>
  command((db, $: Scoped<{ limit: number }>, { engine }) => {
    const place = sql.ref(engine === 'sqlite' ? 'rowid' : 'ctid')
    const size = sizeOfTexts(table)
    const some = keysOfStep(sql`select ${place} as key, ${size} as size from ${sql.table(table)}
      where workspace_id = ${$.workspace_id} limit ${$.limit}`)
    return db
      .deleteFrom(table)
      .where(sql<boolean>`workspace_id = ${$.workspace_id} and ${place} in (${some})`)
  }),
)

export const workspaceTaskBatch = query((db, $: Scoped<{ limit: number }>) =>
  db.selectFrom('tasks').select('id').limit($.limit),
)

/** Returns a row while a file of the workspace still waits for its deletion. */
export const anyPendingFileDeletion = query((db) =>
  db.selectFrom('doomed_files').select('id').limit(1),
)

export const workspaceMemberBatch = query((db, $: Scoped<{ limit: number }>) =>
  db.selectFrom('memberships').select('user_id').orderBy('user_id').limit($.limit),
)

export const deleteMembershipRow = command((db, $: Scoped<{ user_id: string }>) =>
  db.deleteFrom('memberships').where('user_id', '=', $.user_id),
)

/** Deletes the reset links of a user who never had a password and so has no account to reset. */
export const deletePasswordlessResets = unscopedCommand((db, $: { id: string }) =>
  db
    .deleteFrom('password_resets')
    .where('user_id', '=', (is) =>
      is.selectFrom('users').select('id').where('id', '=', $.id).where('password_hash', 'is', null),
    ),
)

/** Deletes a user who is a member of no workspace and never had a password to sign in with. */
export const deleteStrandedUser = unscopedCommand((db, $: { id: string }) =>
  db
    .deleteFrom('users')
    .where('id', '=', $.id)
    .where('password_hash', 'is', null)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('memberships')
            .select('user_id')
            .whereRef('memberships.user_id', '=', 'users.id'),
        ),
      ),
    ),
)

export const deleteWorkspaceRow = command((db) => db.deleteFrom('workspaces'))

export const deleteAbandonedMark = unscopedCommand((db, $: { abandoned_id: string }) =>
  db
    .deleteFrom('installation')
    .where('name', '=', sql<string>`${sql.lit(MARK_PREFIX)} || ${$.abandoned_id}`),
)

type AbandonedWorkspaceParams = { abandoned_id: string }

const deleteSessions = unscopedCommand((db, $: AbandonedWorkspaceParams) =>
  db.deleteFrom('sessions').where('workspace_id', '=', $.abandoned_id),
)

const deleteApiKeys = unscopedCommand((db, $: AbandonedWorkspaceParams) =>
  db.deleteFrom('api_keys').where('workspace_id', '=', $.abandoned_id),
)

const deleteGrants = unscopedCommand((db, $: AbandonedWorkspaceParams) =>
  db.deleteFrom('grants').where('workspace_id', '=', $.abandoned_id),
)

/** Grants that members of other workspaces gave to these applications end with them. */
const deleteApplications = unscopedCommand((db, $: AbandonedWorkspaceParams) =>
  db.deleteFrom('applications').where('workspace_id', '=', $.abandoned_id),
)

const endMemberships = unscopedCommand((db, $: AbandonedWorkspaceParams & { removed_at: string }) =>
  db
    .updateTable('memberships')
    .set({ removed_at: $.removed_at })
    .where('workspace_id', '=', $.abandoned_id)
    .where('removed_at', 'is', null),
)

const insertAbandonedMark = unscopedCommand((db, $: { name: string; value: string }) =>
  db.insertInto('installation').values(pickSlots($, 'name', 'value')),
)
