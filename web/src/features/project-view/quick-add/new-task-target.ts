import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { getEmptyGroupKey } from '../grouping/task-groups.ts'
import type { ProjectWithoutCounts } from '../project-page-context.ts'
import type { GroupBy } from '../project-view.ts'
import { getDefaultStatus } from './default-status.ts'
import type { NewTaskTarget } from './quick-add-context.ts'

/** The group in which a new task begins while there is no cursor; `first` is shown on top. */
export function getDefaultGroup(
  project: ProjectWithoutCounts,
  group: GroupBy,
  first?: string,
): string {
  if (group === 'status') return getDefaultStatus(project) ?? ''
  return (group === 'parent' ? undefined : first) ?? getEmptyGroupKey(group)
}

/**
 * Where a new task of a group begins, so that it stays in the group that its field names. "Next
 * week" does not say on which day it would be due, so there it begins without a date.
 */
export function getNewTaskTarget(group: GroupBy, key: string): NewTaskTarget {
  if (group === 'due' && key !== 'today') return { group: getEmptyGroupKey(group) }
  if (group !== 'parent' || key === getEmptyGroupKey(group)) return { group: key }
  const parent = getCachedTask(key)
  return parent ? { group: key, parent } : { group: getEmptyGroupKey(group) }
}
