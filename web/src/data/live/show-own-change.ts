import { refetchLists } from '../cache/query-client.ts'
import type { Task } from '../tasks/task-patch.ts'
import { isFeedFollowed } from './live-state.ts'
import { recordSettledChange } from './record-settled-change.ts'
import { refetchTaskQueries } from './refetch-task-queries.ts'

/** What the server has done with a task. */
interface OwnChange {
  /** The task before; undefined if it is new or restored. */
  before: Task | undefined
  /** The task since; undefined if it is deleted. */
  task: Task | undefined
  /** Whether the reply is that of an earlier attempt, since which others may have changed the task. */
  isReplayed: boolean
}

/**
 * Makes lists show an acknowledged change of this page: they place the task from its record, which is
 * stored next. What the change does to other tasks comes with the feed; without it, the lists are
 * refetched.
 */
export function showOwnChange({ before, task, isReplayed }: OwnChange): void {
  const known = task ?? before
  if (!isFeedFollowed.get() || isReplayed || !known) {
    refetchLists()
    return
  }
  const { id, project_id } = known
  recordSettledChange({ id, before, task, project_id, isOwn: true })
  refetchTaskQueries(id, before, task)
}
