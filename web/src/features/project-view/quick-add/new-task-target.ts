import { useMemo, useRef, useState } from 'react'
import type { Status } from '#resources/projects/contract.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { startNewTask } from '../../shell/index.ts'
import { getEmptyGroupKey } from '../grouping/task-groups.ts'
import type { ProjectPageContext, ProjectWithoutCounts } from '../project-page-context.ts'
import type { GroupBy } from '../project-view.ts'
import { getDefaultStatus } from './default-status.ts'
import type { NewTaskTarget, QuickAddState } from './quick-add-context.ts'

/** The group in which a new task begins while there is no cursor; `first` is shown on top. */
export function getDefaultGroup(
  statuses: readonly Status[],
  group: GroupBy,
  first?: string,
): string {
  if (group === 'status') return getDefaultStatus({ statuses }) ?? ''
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

/** The project of a new task. On the page of all tasks it is that of its group or its parent, if any. */
export const getTargetProject = (
  { project, projects, projectOf }: ProjectPageContext,
  group: GroupBy,
  { parent, group: key }: NewTaskTarget,
): ProjectWithoutCounts | undefined =>
  project ?? (parent && projectOf(parent)) ?? (group === 'project' ? projects.get(key) : undefined)

/**
 * Where a new task is typed on the screen. Without a project that follows from the place, the dialog
 * for a new task asks for it.
 */
export function useQuickAddState(
  context: ProjectPageContext,
  group: GroupBy,
  toShownPlace: (place: NewTaskTarget) => NewTaskTarget = (place) => place,
): QuickAddState {
  const [place, setPlace] = useState<NewTaskTarget>()
  const latest = useRef(toShownPlace)
  latest.current = toShownPlace
  return useMemo(
    () => ({
      place,
      begin(next) {
        if (getTargetProject(context, group, next)) setPlace(latest.current(next))
        else startNewTask()
      },
      end: () => setPlace(undefined),
    }),
    [context, group, place],
  )
}
