import { ApiError, conflict, notFound } from '#core/api-error.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { purgeTimeOf } from '#core/trash.ts'
import { isAbandoned } from '#db/workspaces/abandoned-workspaces.ts'
import {
  markWorkspaceDeleted,
  markWorkspaceRestored,
  workspaceState,
} from '#db/workspaces/deleted-workspaces.ts'
import { bumpAuthVersion } from '../auth-version.ts'

/** A deleted workspace. It can be restored until `erased_at`. */
export interface WorkspaceDeletion {
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
  return { id, name, deleted_at, erased_at: purgeTimeOf(tx.settings, deleted_at) }
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
