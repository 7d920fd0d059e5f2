import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'

/** Number of days in which deleted tasks, comments and workspaces can be restored. */
const TRASH_DAYS = 30

/** What was deleted at this time or before can no longer be restored, and is purged. */
export const trashSince = (nowMs: number, trashDays = TRASH_DAYS): string =>
  timestampOf(nowMs - trashDays * DAY_MS)

/** When that will be so of what was deleted at `deleted_at`. */
export const purgeTimeOf = (deleted_at: string): string =>
  timestampOf(Date.parse(deleted_at) + TRASH_DAYS * DAY_MS)
