import { NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { bytesOfTask, countBytes, doomFilesOfTask } from '#storage/files.ts'
import {
  forgetWords,
  purgeActivity,
  purgeComments,
  purgeTask,
  purgeTimeEntries,
  tasksToPurge,
} from '#storage/upkeep.ts'
import { roundOfWorkspaces } from './workspaces.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Rows that one step takes away, so that it holds nobody up. */
const ROWS_AT_ONCE = 200
const TASKS_AT_ONCE = 10

/** Takes away for good the tasks that were deleted so many days ago, and all that belongs to them. */
export const emptyTrash = (storage: Storage, trashDays: number) =>
  roundOfWorkspaces(storage, async (workspace_id) => {
    const actor = { ...NOBODY, workspace_id }
    const deleted_before = timestampOf(storage.clock.now() - trashDays * DAY_MS)
    const tasks = await storage.read(actor, (tx) =>
      tx.all(tasksToPurge, { deleted_before, limit: TASKS_AT_ONCE }),
    )
    for (const { id } of tasks) {
      const more = await storage.write(actor, (tx) => purge(tx, id))
      if (more) return true
    }
    return tasks.length === TASKS_AT_ONCE
  })

/** The task itself goes last: until then it can be found again by the next step. */
export async function purge(tx: WriteTx, id: string): Promise<boolean> {
  const which = { task_id: id, limit: ROWS_AT_ONCE }
  const gone =
    (await tx.run(purgeComments, which)) +
    (await tx.run(purgeTimeEntries, which)) +
    (await tx.run(purgeActivity, which))
  if (gone >= ROWS_AT_ONCE) return true
  await tx.run(forgetWords, { id })
  const { bytes = 0 } = (await tx.one(bytesOfTask, { task_id: id })) ?? {}
  if (bytes > 0) {
    await tx.run(doomFilesOfTask, { task_id: id, doomed_at: tx.now })
    await tx.run(countBytes, { by: -bytes })
  }
  await tx.run(purgeTask, { id })
  return false
}
