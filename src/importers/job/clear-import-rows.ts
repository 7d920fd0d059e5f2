import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import { CLEARED_STATUSES } from '#resources/imports/operations.ts'
import { removeImportRow, unusedImportRows } from '#resources/imports/row-store.ts'
import { importById } from '#resources/imports/store.ts'
import type { ImportRef, ImportRun } from './with-import.ts'

/** The most rows in one transaction. */
const BATCH_SIZE = 100

const hasFaultList = (status: string) => status === 'done' || status === 'failed'

/**
 * Deletes the next rows of an ended import that became no tasks, except those whose faults can still
 * be listed. The file of an import may unpack to a hundred times its size, and no quota counts that.
 * Returns whether there are more.
 * What was deleted shows in the table alone, so that the job may be killed at any time.
 */
export function clearImportRows(
  { write, signal }: ImportRun,
  { workspace_id, id: import_id }: ImportRef,
): Promise<boolean> {
  signal.throwIfAborted()
  return write(
    async (tx) => {
      const current = await tx.one(importById, { id: import_id })
      if (!current || !CLEARED_STATUSES.some((one) => one === current.status)) return false
      const unplaced = hasFaultList(current.status) ? 'none, no fault' : 'none'
      // Undoing an import lowers the count, but nobody undoes an import twice.
      const slots = { import_id, after: current.done_count, limit: BATCH_SIZE }
      const placed = await tx.all(unusedImportRows('after'), slots)
      const rows = placed.length > 0 ? placed : await tx.all(unusedImportRows(unplaced), slots)
      const keys = takeSized(rows, MAX_STEP_BYTES).map(({ number }) => ({ import_id, number }))
      await tx.runEach(removeImportRow, keys)
      return rows.length > 0
    },
    { ...ANONYMOUS_ACTOR, workspace_id },
  )
}
