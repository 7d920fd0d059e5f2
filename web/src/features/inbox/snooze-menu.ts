import { HOUR_MS } from '#lib/durations.ts'
import { formatDayTime } from '../../lib/dates/instant.ts'
import { addDaysToDate, isoWeekday, today } from '../../lib/dates/plain-date.ts'
import { toInstant } from '../../lib/dates/time-zone.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { type MenuItem, type MenuOverlay, runAfterMenu } from '../../ui/overlays/overlay-stack.ts'
import { snoozeGroup } from './mark-notifications.ts'
import type { NotificationGroup } from './notification-groups.ts'

const SHORT_SNOOZE_MS = 3 * HOUR_MS
const WAKE_TIME = '08:00'

/** Moves the focus from the row of a group that is about to vanish to another row. */
export type LeaveRow = (group: NotificationGroup) => void

/** Offers to snooze for a few hours, until tomorrow or until next week, in the user's time zone. */
function buildSnoozeItems(group: NotificationGroup, leaveRow: LeaveRow): MenuItem[] {
  const day = today()
  const choices = {
    inHours: new Date(Date.now() + SHORT_SNOOZE_MS).toISOString(),
    tomorrow: toInstant(addDaysToDate(day, 1), WAKE_TIME),
    nextWeek: toInstant(addDaysToDate(day, 8 - isoWeekday(day)), WAKE_TIME),
  }
  return Object.entries(choices).map(([id, at]) => {
    const time = formatDayTime(at)
    const run = () =>
      runAfterMenu(() => {
        leaveRow(group)
        snoozeGroup(group, at, time)
      })
    return { id, label: inboxMessages[id as keyof typeof choices], hint: time, run }
  })
}

/** The menu at a row. Its times count from now, so it is made when it is opened. */
export const createSnoozeMenu = (
  anchor: Element,
  label: string,
  group: NotificationGroup,
  leaveRow: LeaveRow,
): MenuOverlay => ({
  kind: 'menu',
  anchor,
  label,
  sections: [{ items: buildSnoozeItems(group, leaveRow) }],
})
