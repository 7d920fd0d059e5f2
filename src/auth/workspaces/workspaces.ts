import type { Plan } from '#core/actor.ts'
import { ApiError, conflict, notFound } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { purgeTimeOf } from '#core/trash.ts'
import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import {
  isAbandoned,
  markWorkspaceDeleted,
  markWorkspaceRestored,
  workspaceState,
} from '#db/workspaces/deleted-workspaces.ts'
import { bumpAuthVersion } from '../auth-version.ts'

/** A deleted workspace. It can be restored until `erased_at`. */
interface WorkspaceDeletion {
  id: string
  name: string
  deleted_at: string
  erased_at: string
}

/**
 * Loads the deletion of the transaction's workspace. Throws 404 if the workspace is not deleted, or
 * is already being erased.
 */
export async function loadWorkspaceDeletion(tx: ReadTx): Promise<WorkspaceDeletion> {
  const workspace = await tx.one(workspaceState, {})
  if (!workspace?.deleted_at || (await isAbandoned(tx, workspace.id))) throw notFound()
  const { id, name, deleted_at } = workspace
  return { id, name, deleted_at, erased_at: purgeTimeOf(deleted_at) }
}

/**
 * Deletes the transaction's workspace: its keys, tokens and webhooks stop working, and only owners
 * can still sign in, to restore it. Throws 404 if there is none, 409 `workspace_deleted` if it is
 * deleted already.
 */
export async function softDeleteWorkspace(tx: WriteTx): Promise<WorkspaceDeletion> {
  const workspace = await tx.one(workspaceState, {})
  if (!workspace) throw notFound()
  if ((await tx.run(markWorkspaceDeleted, { deleted_at: tx.now })) === 0) {
    throw conflict('workspace_deleted', 'The workspace has already been deleted.')
  }
  tx.audit('workspace.closed', workspace.id, {})
  await bumpAuthVersion(tx)
  return loadWorkspaceDeletion(tx)
}

/**
 * Restores the workspace as it was. Throws 404 if it is not deleted, or is already being erased.
 */
export async function undeleteWorkspace(tx: WriteTx): Promise<void> {
  const { id } = await loadWorkspaceDeletion(tx)
  await tx.run(markWorkspaceRestored, {})
  tx.audit('workspace.restored', id, {})
  await bumpAuthVersion(tx)
}

/**
 * The error for an owner of a deleted workspace who requests anything other than its restoration.
 */
export const workspaceDeleted = () =>
  new ApiError(
    410,
    'workspace_deleted',
    'This workspace has been deleted. An owner can restore it.',
  )

/** The plan of new workspaces. */
export const DEFAULT_PLAN: Plan = 'free'

/** A workspace as the API returns it (docs/spec/api.md#internal-resources), without the rate limit of its plan. */
interface WorkspaceRecord {
  id: string
  name: string
  plan: Plan
  timezone: string
  created_at: string
  updated_at: string
}

/** Creates the transaction's workspace: the actor already has the new id. */
export async function createWorkspace(
  tx: WriteTx,
  { name, plan, timezone }: Pick<WorkspaceRecord, 'name' | 'plan' | 'timezone'>,
): Promise<void> {
  await tx.run(insertWorkspace, { name, plan, timezone, created_at: tx.now })
  tx.audit('workspace.created', tx.actor.workspace_id, { plan })
}

/** Returns the transaction's workspace. */
export async function findWorkspace(tx: ReadTx): Promise<WorkspaceRecord | undefined> {
  return tx.one(workspaceById, {})
}

/** Sets the plan. Setting the present plan again changes nothing. */
export const setPlan = (
  tx: WriteTx,
  workspace: WorkspaceRecord,
  plan: Plan,
): Promise<WorkspaceRecord> => changeWorkspace(tx, workspace, { plan })

/** Changes name, time zone or plan. Absent fields and equal values change nothing. */
export async function changeWorkspace(
  tx: WriteTx,
  workspace: WorkspaceRecord,
  changes: Partial<Pick<WorkspaceRecord, 'name' | 'plan' | 'timezone'>>,
): Promise<WorkspaceRecord> {
  const { name, plan, timezone } = { ...workspace, ...changes }
  const present = { name: workspace.name, plan: workspace.plan, timezone: workspace.timezone }
  const changed = Object.keys(diffRecords(present, { name, plan, timezone }))
  if (changed.length === 0) return workspace
  const updated_at = nextUpdatedAt(tx, workspace.updated_at)
  await tx.run(updateWorkspace, { name, plan, timezone, updated_at })
  const to = changed.includes('plan') && { plan: { from: workspace.plan, to: plan } }
  tx.audit('workspace.updated', workspace.id, { changed, ...to })
  await bumpAuthVersion(tx)
  return { ...workspace, name, plan, timezone, updated_at }
}

type WorkspaceInsert = Scoped<Pick<WorkspaceRecord, 'name' | 'plan' | 'timezone' | 'created_at'>>
const insertWorkspace = command((db, $: WorkspaceInsert) =>
  db.insertInto('workspaces').values({
    ...pickSlots($, 'name', 'plan', 'timezone', 'created_at'),
    id: $.workspace_id,
    updated_at: $.created_at,
    last_sequence: 0,
  }),
)

const workspaceById = query((db) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at']),
)

type WorkspaceUpdate = Scoped<Pick<WorkspaceRecord, 'name' | 'plan' | 'timezone' | 'updated_at'>>
const updateWorkspace = command((db, $: WorkspaceUpdate) =>
  db.updateTable('workspaces').set(pickSlots($, 'name', 'plan', 'timezone', 'updated_at')),
)
