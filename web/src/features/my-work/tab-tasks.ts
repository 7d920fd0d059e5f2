import type { Task } from '../../data/tasks/task-patch.ts'
import type { MyWorkTab } from './use-my-tasks.ts'

/**
 * Whether a task belongs to a tab by its people. Whether it is finished does not count: a row that is
 * completed, or whose completion is undone, stays in its place until the tab is left.
 */
export const isTaskOfTab = (
  { assignee_ids, created_by_id }: Pick<Task, 'assignee_ids' | 'created_by_id'>,
  tab: MyWorkTab,
  userId: string,
): boolean => (tab === 'created' ? created_by_id === userId : assignee_ids.includes(userId))

/**
 * The ids that were loaded now, and between them those that only an earlier load had, each at its
 * former place. Returns the earlier array itself if it has the same ids in the same order.
 */
export function keepEarlierIds(
  earlier: readonly string[],
  loaded: readonly string[],
): readonly string[] {
  const isLoaded = new Set(loaded)
  const all = [...loaded]
  for (const [at, id] of earlier.entries()) if (!isLoaded.has(id)) all.splice(at, 0, id)
  const isSame = all.length === earlier.length && all.every((id, at) => id === earlier[at])
  return isSame ? earlier : all
}
