import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import {
  addAttachmentBytes,
  scheduleTaskFileDeletions,
  taskAttachmentBytes,
} from '#db/retention/pending-file-deletions.ts'
import {
  deleteTaskWords,
  purgeActivity,
  purgeAttachments,
  purgeComments,
  purgeTask,
  purgeTimeEntries,
  tasksToPurge,
  taskToPurge,
} from '#db/retention/purge.ts'
import { timestampOf } from '#lib/clock.ts'
import { forEachWorkspace } from './for-each-workspace.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Rows that one step deletes, so that it delays no request. */
const MAX_ROWS = 200
const MAX_TASKS = 10

/** Purges the tasks deleted longer ago than `trashDays`, with everything that belongs to them. */
export const emptyTrash = (storage: Storage, trashDays: number) =>
  forEachWorkspace(storage, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const deleted_before = timestampOf(storage.clock.now() - trashDays * DAY_MS)
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
  const batch = { task_id: id, limit: MAX_ROWS }
  if ((await tx.run(purgeComments, batch)) > 0) return true
  const purged = (await tx.run(purgeTimeEntries, batch)) + (await tx.run(purgeActivity, batch))
  if (purged >= MAX_ROWS) return true
  await tx.run(deleteTaskWords, { id })
  const { bytes = 0 } = (await tx.one(taskAttachmentBytes, { task_id: id })) ?? {}
  if (bytes > 0) {
    await tx.run(scheduleTaskFileDeletions, { task_id: id, doomed_at: tx.now })
    await tx.run(addAttachmentBytes, { by: -bytes })
  }
  await tx.run(purgeAttachments, { task_id: id })
  await tx.run(purgeTask, { id })
  return false
}
