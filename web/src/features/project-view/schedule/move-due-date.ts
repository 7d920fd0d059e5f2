import { toDuePatch } from '../../../data/tasks/due-day.ts'
import type { Task, TaskPatch } from '../../../data/tasks/task-patch.ts'
import type { PlainDate } from '../../../lib/dates/plain-date.ts'
import { toInstant, toWallTime } from '../../../lib/dates/time-zone.ts'

/**
 * The patch that moves a task to another `due_date`. A time of day stays the same on the clock of the
 * workspace: on that of the viewer, a clock change could lead to another day.
 */
export const moveDueDate = (
  { due_at }: Pick<Task, 'due_at'>,
  due_date: PlainDate | null,
  timezone: string,
): TaskPatch =>
  due_at === null || due_date === null
    ? { due_date }
    : toDuePatch(
        { date: due_date, at: toInstant(due_date, toWallTime(due_at, timezone), timezone) },
        timezone,
      )
