import { refetchLists, refetchSoon } from '../cache/query-client.ts'
import type { Task } from '../tasks/task-patch.ts'
import { isFeedFollowed, liveState } from './live-state.ts'
import { isIndexReadSince, placeTasksAnew, recordSettledChange } from './record-settled-change.ts'
import { refetchTaskNotifications } from './refetch-notifications.ts'
import { refetchTaskQueries } from './refetch-task-queries.ts'
import { isPointing, whenUserIdle } from './user-activity.ts'

/** What the server has done with a task. */
interface OwnChange {
  /** The task before; undefined if it is new or restored. */
  before: Task | undefined
  /** The task since; undefined if it is deleted. */
  task: Task | undefined
  /** When the change was sent (ms). */
  sentAt: number
  /** Whether the reply is that of an earlier attempt, since which others may have changed the task. */
  isReplayed: boolean
}

/**
 * Makes lists show an acknowledged change of this page: they place the task from its record, which is
 * stored next. What the change does to other tasks comes with the feed; without it, the lists are
 * refetched.
 */
export function showOwnChange({ before, task, sentAt, isReplayed }: OwnChange): void {
  const known = task ?? before
  if (!isFeedFollowed.get() || liveState.get() !== 'live' || isReplayed || !known) {
    refetchLists()
    if (known) refetchTaskNotifications(known.id, before, task)
    return
  }
  const { id, project_id } = known
  const record = () => {
    recordSettledChange({ id, before, task, project_id, isOwn: true })
    // An index that was read meanwhile may have it already, and would count it twice.
    if (isIndexReadSince(project_id, sentAt)) refetchSoon(['index', project_id])
  }
  // While the person points, a list goes on showing the task where they have put it.
  if (!isPointing()) record()
  else
    whenUserIdle(() => {
      record()
      placeTasksAnew()
    }, isPointing)
  refetchTaskQueries(id, before, task)
}
