import { refetchSoon } from '../cache/query-client.ts'
import { bootState } from '../session/boot.ts'
import { scheduleCountsReload } from '../session/counts.ts'
import type { Task } from '../tasks/task-patch.ts'

/** Few tasks and comments have a notification, so the numbers are mostly read in vain. */
const RECOUNT_INTERVAL_MS = 10_000

/** Refetches the notifications of a task that was deleted, restored or renamed. */
export function refetchTaskNotifications(before: Task | undefined, task: Task | undefined): void {
  if (!task) refetchDeletedNotifications()
  else if (task.version > 1 && before?.title !== task.title) {
    refetchSoon(['notifications'])
    // One that the page did not know may have been restored.
    if (!before) scheduleCountsReload({ intervalMs: RECOUNT_INTERVAL_MS })
  }
}

/** Refetches the notifications after the deletion of a task or comment, which hides those about it. */
export function refetchDeletedNotifications(): void {
  refetchSoon(['notifications'])
  if (bootState.get()?.inbox.unread) scheduleCountsReload({ intervalMs: RECOUNT_INTERVAL_MS })
}
