import { useInfiniteQuery } from '@tanstack/react-query'
import type { Activity, listActivity } from '#resources/activity/contract.ts'
import { call, type Sent } from '../lib/call.ts'

export type { Activity }

interface Page {
  data: Activity[]
  next_cursor: string | null
}

/** What was done to a task, oldest first, as far as it was read: the newest come first of all. */
export function useActivity(task_id: string) {
  const read = useInfiniteQuery({
    queryKey: ['activity', task_id],
    queryFn: ({ pageParam, signal }) => readActivity(task_id, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }: Page) => next_cursor ?? undefined,
  })
  return {
    activity: read.data?.pages.flatMap(({ data }) => data).toReversed(),
    error: read.error,
    hasOlder: read.hasNextPage,
    loadOlder: () => void read.fetchNextPage(),
    retry: () => void read.refetch(),
  }
}

/** A page of it, the newest first. */
export function readActivity(id: string, cursor = '', signal?: AbortSignal): Promise<Page> {
  const query: Sent<typeof listActivity>['query'] = {
    ...{ sort: '-created_at', limit: 50 },
    ...(cursor && { cursor }),
  }
  const to = 'GET /internal/tasks/:id/activity'
  return call<typeof listActivity>(to, { params: { id }, query }, signal ? { signal } : {})
}
