import type { Instant } from '../../lib/dates/instant.ts'
import { type PlainDate, toPlainDate } from '../../lib/dates/plain-date.ts'
import type { Task, TaskPatch } from './task-patch.ts'

/**
 * The day on which a task is due for the viewer. A date is the same for everyone; a time is on its
 * day in the viewer's time zone, which may differ from `due_date`.
 */
export const getDueDay = ({ due_date, due_at }: Pick<Task, 'due_date' | 'due_at'>) =>
  due_at === null ? due_date : toPlainDate(due_at)

/**
 * The patch for a due date that was picked in the viewer's time zone. The API refuses a due time
 * beside another day than its own in the workspace's time zone (docs/spec/api.md#task).
 */
export const toDuePatch = (
  { date, at }: { date: PlainDate | null; at: Instant | null },
  timezone: string,
): Pick<TaskPatch, 'due_date' | 'due_at'> => ({
  due_date: at === null ? date : toPlainDate(at, timezone),
  due_at: at,
})
