import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import type { OperatorSettings } from './operator-settings.ts'

type TrashSettings = Pick<OperatorSettings, 'trashDays'>

/** What was deleted at this time or before can no longer be restored, and is purged. */
export const trashSince = ({ trashDays }: TrashSettings, nowMs: number): string =>
  timestampOf(nowMs - trashDays * DAY_MS)

/** When that will be so of what was deleted at `deleted_at`. */
export const purgeTimeOf = ({ trashDays }: TrashSettings, deleted_at: string): string =>
  timestampOf(Date.parse(deleted_at) + trashDays * DAY_MS)
