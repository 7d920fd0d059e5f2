import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import {
  activeFileHold,
  deletePendingFileDeletion,
  existingWorkspace,
  pendingFileDeletions,
  postponeFileDeletion,
  referencedFiles,
} from '#db/retention/pending-file-deletions.ts'
import { FILE_KEY, type Files, fileKey } from '#files/files.ts'
import { HOUR_MS } from '#lib/durations.ts'

/** No upload takes this long: an older file without a row will never get one. */
const ORPHAN_AGE_MS = 3 * HOUR_MS
const MAX_FILES = 100

/**
 * Deletes the files whose rows are deleted, and then their pending deletions. A file that cannot be
 * deleted is retried last, so that it does not delay others.
 */
export const deletePendingFiles =
  (storage: Storage, files: Files) => async (): Promise<boolean> => {
    const pending = await storage.read(ANONYMOUS_ACTOR, async (tx) => {
      const deletions = await tx.all(pendingFileDeletions, { limit: MAX_FILES })
      // Checked afterwards: a backup that holds the files from now on no longer sees the rows of
      // these.
      return (await tx.one(activeFileHold, { now: tx.now })) ? [] : deletions
    })
    for (const { workspace_id, id } of pending) {
      const actor = { ...ANONYMOUS_ACTOR, workspace_id }
      await files.remove(fileKey(workspace_id, id)).catch(async (error: unknown) => {
        await storage.write(actor, (tx) => tx.run(postponeFileDeletion, { id, doomed_at: tx.now }))
        throw error
      })
      await storage.write(actor, (tx) => tx.run(deletePendingFileDeletion, { id }))
    }
    return pending.length === MAX_FILES
  }

/**
 * Deletes what unfinished uploads have left: drafts, and files without a row. Files of unknown
 * workspaces are left alone, because a bucket may serve two installations.
 */
export function sweepOrphanedFiles(storage: Storage, files: Files): () => Promise<boolean> {
  let round: AsyncIterator<{ key: string; at: number }> | undefined
  return async () => {
    const before = storage.clock.now() - ORPHAN_AGE_MS
    round ??= listFiles(before)
    const listing = round
    // A round that fails is not continued.
    round = undefined
    const old = new Map<string, string[]>()
    for (let count = 0; count < MAX_FILES; count += 1) {
      const { done, value } = await listing.next()
      if (done) {
        await removeOrphans(old)
        return false
      }
      const [, workspace_id = '', id = ''] = FILE_KEY.exec(value.key) ?? []
      if (value.at < before) old.set(workspace_id, [...(old.get(workspace_id) ?? []), id])
    }
    await removeOrphans(old)
    round = listing
    return true
  }

  async function* listFiles(before: number) {
    await files.sweepDrafts(before)
    yield* files.list()
  }

  async function removeOrphans(old: ReadonlyMap<string, string[]>): Promise<void> {
    for (const [workspace_id, ids] of old) {
      const keptIds = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
        if (!(await tx.one(existingWorkspace, {}))) return ids
        const rows = await tx.all(referencedFiles, { ids })
        return (await tx.one(activeFileHold, { now: tx.now })) ? ids : rows.map(({ id }) => id)
      })
      const orphans = new Set(ids).difference(new Set(keptIds))
      for (const id of orphans) await files.remove(fileKey(workspace_id, id))
    }
  }
}
