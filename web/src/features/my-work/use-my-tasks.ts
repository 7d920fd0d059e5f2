import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { useLoadTasks } from '../../data/tasks/task-queries.ts'
import { queryTasks } from '../../data/tasks/task-replica.ts'
import { getCachedTask, useTasksRevision } from '../../data/tasks/task-store.ts'
import { addDaysToDate, today } from '../../lib/dates/plain-date.ts'
import { type CallInput, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import type { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { getBlockerLabel } from '../project-view/index.ts'
import { isTaskOfTab, keepEarlierIds } from './tab-tasks.ts'

export type MyWorkTab = keyof typeof myWorkMessages.tabs
type MyTasksQuery = NonNullable<CallInput<typeof listTasks>['query']>

const MAX_SELECTED = 10_000

const OPEN_FILTER = {
  completed: false,
  status_category: ['backlog', 'unstarted', 'started'],
} as const

/** Builds the query of a tab. */
function buildTabQuery(tab: MyWorkTab): MyTasksQuery {
  const page = { limit: 100 }
  if (tab === 'created') return { ...page, ...openFilter(), created_by_id: ['me'] }
  if (tab === 'done') {
    const completed_after = `${addDaysToDate(today(), -30)}T00:00:00Z`
    return { ...page, assignee_id: ['me'], completed: true, completed_after, sort: '-updated_at' }
  }
  return { ...page, ...openFilter(), assignee_id: ['me'], sort: 'due_date' }
}

const openFilter = (): MyTasksQuery => ({
  ...OPEN_FILTER,
  status_category: [...OPEN_FILTER.status_category],
})

/**
 * Loads pages until the last one, or until the maximum that can be selected together. Returns
 * undefined if one fails: there is still a next page then, and asking for it would never end.
 */
async function loadAllIds(
  fetchNext: () => Promise<{
    data?: { pages: { ids: string[] }[] } | undefined
    hasNextPage: boolean
    isError: boolean
  }>,
) {
  for (;;) {
    const { data, hasNextPage, isError } = await fetchNext()
    if (isError) return undefined
    const ids = data?.pages.flatMap((page) => page.ids) ?? []
    if (!hasNextPage || ids.length >= MAX_SELECTED) return ids
  }
}

/** The ids of a tab's tasks when they were loaded. The store has the tasks themselves. */
export function useMyTasks(tab: MyWorkTab) {
  const taskQuery = useInfiniteQuery({
    queryKey: ['tasks', 'my', tab === 'blocked' ? 'mine' : tab],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...buildTabQuery(tab), ...(pageParam && { cursor: pageParam }) }
      const page = await queryTasks(
        () =>
          requestEndpointForResult<typeof listTasks>('GET /api/v1/tasks', { query }, { signal }),
        ({ data }) => data,
      )
      return { ids: page.data.map(({ id }) => id), next: page.next_cursor }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const ids = useMemo(() => taskQuery.data?.pages.flatMap((page) => page.ids), [taskQuery.data])
  return {
    ids,
    error: taskQuery.error,
    retry: () => void taskQuery.refetch(),
    /**
     * Loads all pages and returns their ids; undefined if one of them failed. A running refetch ends
     * first: page after page would replace it until nobody repeats it.
     */
    loadAll: () => loadAllIds(() => taskQuery.fetchNextPage({ cancelRefetch: false })),
    loadMore: taskQuery.hasNextPage ? () => void taskQuery.fetchNextPage() : undefined,
  }
}

const NO_IDS: readonly string[] = []

/**
 * The tasks of a tab. A task that is completed or reopened stays until the tab is left, so that its
 * row keeps the focus. A deleted one disappears at once.
 */
export function useTabTasks(
  ids: readonly string[] = NO_IDS,
  tab: MyWorkTab,
  userId: string,
): Task[] {
  const revision = useTasksRevision()
  const shownIds = useShownIds(ids, tab)
  const tasks = useMemo(() => {
    const loaded = new Set(ids)
    return shownIds.flatMap((id) => {
      const task = revision >= 0 ? getCachedTask(id) : undefined
      return task && (loaded.has(id) || isTaskOfTab(task, tab, userId)) ? task : []
    })
  }, [ids, shownIds, tab, userId, revision])
  const blockerIds = useMemo(() => listBlockerIds(tasks), [tasks])
  // They may be tasks of other people, and some of them finished.
  useLoadTasks(blockerIds)
  return useMemo(
    () =>
      tab === 'blocked' && revision >= 0
        ? tasks.filter(({ blocked_by_ids }) => getBlockerLabel(blocked_by_ids) !== undefined)
        : tasks,
    [tasks, tab, revision],
  )
}

const listBlockerIds = (tasks: readonly Task[]): readonly string[] => [
  ...new Set(tasks.flatMap((task) => (isFinished(task) ? [] : task.blocked_by_ids))),
]

const isFinished = ({ status_category }: Task): boolean =>
  status_category === 'completed' || status_category === 'canceled'

/** The ids of all tasks that were loaded since the tab was opened, each in its latest place. */
function useShownIds(ids: readonly string[], tab: MyWorkTab): readonly string[] {
  const [earlier, setEarlier] = useState({ tab, ids })
  const shown = useMemo(
    () => (earlier.tab === tab ? keepEarlierIds(earlier.ids, ids) : ids),
    [earlier, ids, tab],
  )
  useEffect(() => {
    setEarlier((last) => (last.tab === tab && last.ids === shown ? last : { tab, ids: shown }))
  }, [tab, shown])
  return shown
}
