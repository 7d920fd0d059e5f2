import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { trashSince } from '#core/trash.ts'
import {
  addAttachmentBytes,
  scheduleTaskFileDeletions,
  taskAttachmentBytes,
} from '#db/retention/pending-file-deletions.ts'
import {
  bytesOfTask,
  deleteTaskWords,
  purgeAttachments,
  purgeRows,
  purgeTask,
  rowsToPurge,
  tasksToPurge,
  taskToPurge,
} from '#db/retention/purge.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import { forEachWorkspace } from './for-each-workspace.ts'

/** Rows that one step deletes, so that it delays no request. */
const MAX_ROWS = 200
const MAX_TASKS = 10

/** Purges the tasks deleted longer ago than `trashDays`, with everything that belongs to them. */
export const emptyTrash = (storage: Storage, trashDays: number) =>
  forEachWorkspace(storage, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const deleted_before = trashSince({ trashDays }, storage.clock.now())
    const tasks = await storage.read(actor, (tx) =>
      tx.all(tasksToPurge, { deleted_before, limit: MAX_TASKS }),
    )
    for (const { id } of tasks) {
      const hasMore = await storage.write(actor, async (tx) => {
        // Another process, whose clock is behind, may just have restored it.
        const isExpired = await tx.one(taskToPurge, { id, deleted_before })
        return isExpired ? purgeTaskStep(tx, id) : false
      })
      if (hasMore) return true
    }
    return tasks.length === MAX_TASKS
  })

/** Purges one batch of a task. The task itself comes last, so that the next step can find it. */
export async function purgeTaskStep(tx: WriteTx, id: string): Promise<boolean> {
  let room = MAX_STEP_BYTES
  for (const table of ['comments', 'time_entries', 'activity'] as const) {
    const some = await tx.all(rowsToPurge(table), { task_id: id, limit: MAX_ROWS })
    const rows = takeSized(some, room)
    if (rows.length > 0)
      await tx.run(purgeRows(table), { task_id: id, ids: rows.map((row) => row.id) })
    const size = rows.reduce((sum, row) => sum + row.size, 0)
    tx.countBytes(table === 'activity' ? 'history' : 'content', -size)
    room -= size
    if (some.length === MAX_ROWS || rows.length < some.length) return true
  }
  await tx.run(deleteTaskWords, { id })
  const { bytes = 0 } = (await tx.one(taskAttachmentBytes, { task_id: id })) ?? {}
  if (bytes > 0) {
    await tx.run(scheduleTaskFileDeletions, { task_id: id, doomed_at: tx.now })
    await tx.run(addAttachmentBytes, { by: -bytes })
    tx.countBytes('content', -bytes)
  }
  await tx.run(purgeAttachments, { task_id: id })
  const task = await tx.one(bytesOfTask, { id })
  await tx.run(purgeTask, { id })
  tx.countBytes('content', -(task?.bytes ?? 0))
  return false
}
