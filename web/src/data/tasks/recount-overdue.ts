import { today } from '../../lib/dates/plain-date.ts'
import { isFeedFollowed } from '../live/live-state.ts'
import { bootState } from '../session/boot.ts'
import { scheduleCountsReload } from '../session/counts.ts'
import { isTaskFinished, type Task } from './task-patch.ts'

/** The fields of a task that decide whether it counts. */
export type OverdueFields = Pick<Task, 'assignee_ids' | 'due_date' | 'status_category'>

/**
 * Reads the number of the person's overdue tasks again if the change of a task may have altered it.
 * A task that the page did not know may have been counted, if it is gone or still the person's.
 */
export function recountOverdue(
  before: OverdueFields | undefined,
  task: OverdueFields | undefined,
): void {
  // Until then the boot data is read again after each change.
  if (!isFeedFollowed.get()) return
  const me = bootState.get()?.session.user.id ?? ''
  if (mayAlterOverdue(before, task, me, today())) scheduleCountsReload()
}

/** Whether the change of a task may alter the number of overdue tasks of a person on a day. */
export function mayAlterOverdue(
  before: OverdueFields | undefined,
  task: OverdueFields | undefined,
  me: string,
  day: string,
): boolean {
  const isLateForMe = ({ assignee_ids, due_date }: OverdueFields) =>
    assignee_ids.includes(me) && due_date !== null && due_date < day
  const isCounted = (one: OverdueFields) => isLateForMe(one) && !isTaskFinished(one)
  if (!before) return !task || isLateForMe(task)
  return isCounted(before) !== (task !== undefined && isCounted(task))
}
