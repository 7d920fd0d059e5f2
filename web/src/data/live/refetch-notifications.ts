import type { Task } from '#resources/tasks/fields.ts'
import { refetchSoon } from '../cache/query-client.ts'
import { bootState } from '../session/boot.ts'
import { scheduleCountsReload } from '../session/counts.ts'

/** Few tasks and comments have a notification, so the numbers are mostly read in vain. */
const RECOUNT_INTERVAL_MS = 10_000
const MAX_REMEMBERED = 1_000

/** The latest titles of tasks that have changed, by id; undefined for a deleted task. */
const latestTitles = new Map<string, string | undefined>()

/** Refetches the notifications of a task that was deleted, restored or renamed. */
export function refetchTaskNotifications(
  id: string,
  before: Task | undefined,
  task: Task | undefined,
): void {
  const isRestored = !before && latestTitles.has(id) && latestTitles.get(id) === undefined
  const previousTitle = before?.title ?? latestTitles.get(id)
  rememberTitle(id, task?.title)
  if (!task) refetchDeletedNotifications()
  else if (isRestored) {
    refetchSoon(['notifications'])
    scheduleCountsReload({ intervalMs: RECOUNT_INTERVAL_MS })
  } else if (previousTitle !== task.title && task.version > 1) refetchSoon(['notifications'])
}

/** Refetches the notifications after the deletion of a task or comment, which hides those about it. */
export function refetchDeletedNotifications(): void {
  refetchSoon(['notifications'])
  if (bootState.get()?.inbox.unread) scheduleCountsReload({ intervalMs: RECOUNT_INTERVAL_MS })
}

function rememberTitle(id: string, title: string | undefined): void {
  latestTitles.delete(id)
  latestTitles.set(id, title)
  const [oldest] = latestTitles.keys()
  if (latestTitles.size > MAX_REMEMBERED && oldest !== undefined) latestTitles.delete(oldest)
}
