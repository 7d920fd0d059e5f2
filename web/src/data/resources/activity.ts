import { useInfiniteQuery } from '@tanstack/react-query'
import type { Activity, listActivity } from '#resources/activity/contract.ts'
import { type CallInput, requestEndpoint } from '../../lib/http/request-endpoint.ts'

export type { Activity }

interface TaskActivityPage {
  data: Activity[]
  next_cursor: string | null
}

/** The activity of a task, oldest first. Pages are loaded from the newest backwards. */
export function useActivity(task_id: string) {
  const read = useInfiniteQuery({
    queryKey: ['activity', task_id],
    queryFn: ({ pageParam, signal }) => fetchActivityPage(task_id, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }: TaskActivityPage) => next_cursor ?? undefined,
  })
  return {
    activity: read.data?.pages.flatMap(({ data }) => data).toReversed(),
    error: read.error,
    hasOlder: read.hasNextPage,
    loadOlder: () => void read.fetchNextPage(),
    retry: () => void read.refetch(),
  }
}

/** Fetches one page of activity, newest first. */
export function fetchActivityPage(
  id: string,
  cursor = '',
  signal?: AbortSignal,
): Promise<TaskActivityPage> {
  const query: CallInput<typeof listActivity>['query'] = {
    sort: '-created_at',
    limit: 50,
    ...(cursor && { cursor }),
  }
  const to = 'GET /internal/tasks/:id/activity'
  return requestEndpoint<typeof listActivity>(
    to,
    { params: { id }, query },
    signal ? { signal } : {},
  )
}
