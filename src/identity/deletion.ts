import { conflict, notFound, Refusal } from '#core/refusal.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { addMs } from '#lib/days.ts'
import { isAbandoned } from '#storage/abandoned.ts'
import { noteDeleted, noteRestored, workspaceState } from '#storage/deleted-workspaces.ts'
import { advanceGeneration } from './generation.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** A workspace that can be restored, and until when. */
export interface Deletion {
  id: string
  name: string
  deleted_at: string
  erased_at: string
}

/** When what was deleted then is erased. */
export const erasedAt = ({ settings }: Pick<ReadTx, 'settings'>, deleted_at: string): string =>
  addMs(deleted_at, settings.trashDays * DAY_MS)

/** The deletion of the workspace of the transaction; 404 for one that lives, or is being erased. */
export async function loadDeletion(tx: ReadTx): Promise<Deletion> {
  const found = await tx.one(workspaceState, {})
  if (!found?.deleted_at || (await isAbandoned(tx, found.id))) throw notFound()
  const { id, name, deleted_at } = found
  return { id, name, deleted_at, erased_at: erasedAt(tx, deleted_at) }
}

/**
 * Deletes the workspace of the transaction: from now on its keys, tokens and webhooks stop, and only owners
 * come as far as to restore it. 404 where there is none, 409 `workspace_deleted` where it is deleted.
 */
export async function deleteWorkspace(tx: WriteTx): Promise<Deletion> {
  const found = await tx.one(workspaceState, {})
  if (!found) throw notFound()
  if ((await tx.run(noteDeleted, { deleted_at: tx.now })) === 0) {
    throw conflict('workspace_deleted', 'The workspace is deleted already.')
  }
  tx.audit('workspace.closed', found.id, {})
  await advanceGeneration(tx)
  return loadDeletion(tx)
}

/** Restores it, as it was; 404 for one that is not deleted, or is being erased. */
export async function restoreWorkspace(tx: WriteTx): Promise<void> {
  const { id } = await loadDeletion(tx)
  await tx.run(noteRestored, {})
  tx.audit('workspace.restored', id, {})
  await advanceGeneration(tx)
}

/** The answer to an owner of a deleted workspace who wants anything but to restore it. */
export const workspaceDeleted = () =>
  new Refusal(410, 'workspace_deleted', 'This workspace is deleted. An owner can restore it.')
