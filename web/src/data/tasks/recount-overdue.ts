import { today } from '../../lib/dates/plain-date.ts'
import { bootState } from '../session/boot.ts'
import { scheduleCountsReload } from '../session/counts.ts'
import { isTaskFinished, type Task } from './task-patch.ts'

/** The fields of a task that decide whether it counts. */
export type OverdueFields = Pick<Task, 'assignee_ids' | 'due_date' | 'status_category'>

/** Any task that the page does not know may have been taken from the person, so this is often in vain. */
const UNLIKELY_INTERVAL_MS = 10_000
/** A notification of the same change, after which the numbers are read as well, may come later. */
const UNKNOWN_DELAY_MS = 2_000

/**
 * Reads the number of the person's overdue tasks again if the change of a task may have altered it.
 * `before` is the task before it, undefined if the page has not loaded it, and `task` the task since,
 * undefined if it is deleted. A restored task is new.
 */
export function recountOverdue(
  before: OverdueFields | 'new' | undefined,
  task: OverdueFields | undefined,
): void {
  const boot = bootState.get()
  const me = boot?.session.user.id ?? ''
  if (mayAlterOverdue(before, task, me, today()))
    scheduleCountsReload(before ? {} : { delayMs: UNKNOWN_DELAY_MS })
  else if (!before && boot?.mine.overdue) scheduleCountsReload({ intervalMs: UNLIKELY_INTERVAL_MS })
}

/**
 * Whether the change of a task may alter the number of overdue tasks of a person on a day. A task
 * that the page did not know is thought to, if it is gone or the person's.
 */
export function mayAlterOverdue(
  before: OverdueFields | 'new' | undefined,
  task: OverdueFields | undefined,
  me: string,
  day: string,
): boolean {
  if (!before) return !task || task.assignee_ids.includes(me)
  const isCounted = (one: OverdueFields | 'new' | undefined) =>
    one !== undefined &&
    one !== 'new' &&
    one.assignee_ids.includes(me) &&
    one.due_date !== null &&
    one.due_date < day &&
    !isTaskFinished(one)
  return isCounted(before) !== isCounted(task)
}
