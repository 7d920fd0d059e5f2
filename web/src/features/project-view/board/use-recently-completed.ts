import { useEffect, useMemo } from 'react'
import { DAY_MS } from '#lib/durations.ts'
import { toIndexSearch, useProjectIndex } from '../../../data/cache/project-index.ts'
import { declareSelfPlacing } from '../../../data/live/settled-changes.ts'
import { findTaskIdByNumber, getCachedTask } from '../../../data/tasks/task-store.ts'
import { startOfHour, toFilterQuery } from '../filter/filter-query.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'

const RECENT_DAYS = 14

/** A test for tasks that were completed in the last 14 days; undefined while the index loads. */
export function useRecentlyCompleted(
  { project, filterContext }: ProjectPageContext,
  view: ProjectView,
): ((number: number) => boolean) | undefined {
  const completedKeys = project.statuses
    .filter(({ category }) => category === 'completed')
    .map(({ key }) => key)
  // Rounded to whole hours, so that the same board sends the same query.
  const since = startOfHour(filterContext.now()) - RECENT_DAYS * DAY_MS
  const after = new Date(since).toISOString()
  const { api, indexOnly } = toFilterQuery(view.filter, filterContext)
  const query = {
    ...api,
    ...indexOnly,
    status: completedKeys,
    completed_after: after,
    group: 'none',
  }
  const { indexed } = useProjectIndex(
    project.id,
    query,
    view.group === 'status' && api.status === undefined,
  )
  const search = toIndexSearch(query)
  // A task that is completed later has `completed_at` in its record, which is enough to show it: this
  // index need not be read again.
  useEffect(() => declareSelfPlacing({ project_id: project.id, search }), [project.id, search])
  const index = indexed?.index
  return useMemo(() => {
    if (!index) return undefined
    const numbers = new Set(index.groups.flatMap((group) => group.numbers))
    return (number) => {
      const loaded = getCachedTask(findTaskIdByNumber(project.id, number) ?? '')
      if ((loaded?.completed_at ?? '') > after) numbers.add(number)
      return numbers.has(number)
    }
  }, [index, project.id, after])
}
