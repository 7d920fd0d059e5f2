import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import type { SearchResult, searchTasks } from '#resources/web-app/search/contract.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { queryTasks } from '../../data/tasks/task-replica.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'

/** A search result. The task itself is in the task store. */
export interface TaskSearchHit {
  id: string
  short_id: string
  where: SearchResult['where'] | undefined
  comment_id: string | null
  snippet: SearchResult['snippet'] | undefined
}

/** The parts of a task that a search can be limited to. */
export const SEARCH_PLACES = ['title', 'description', 'comments'] as const
export type SearchPlace = (typeof SEARCH_PLACES)[number]

/** A search for words or for tasks of a person. */
export interface TaskSearchQuery {
  q: string
  who: string | undefined
  project_id: string | undefined
  places: readonly SearchPlace[]
}

interface TaskSearchPage {
  hits: TaskSearchHit[]
  next: string | null
  more: boolean
}

const MAX_QUERY_LENGTH = 200
const PAGE_LIMIT = 100

/** Loads search results page by page. Sends no request without words or a person. */
export function useTaskSearch(search: TaskSearchQuery) {
  const { q, who, project_id, places } = search
  const resultQuery = useInfiniteQuery({
    queryKey: ['search', q, who, project_id, places],
    enabled: q !== '' || who !== undefined,
    queryFn: ({ pageParam, signal }) =>
      q === ''
        ? listTasksOfPerson(search, pageParam, signal)
        : searchByWords(search, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (previous) => previous,
  })
  const hits = useMemo(
    () => deduplicate(resultQuery.data?.pages.flatMap((page) => page.hits)),
    [resultQuery.data],
  )
  const { hasNextPage, isPlaceholderData } = resultQuery
  return {
    hits,
    error: resultQuery.error,
    isFetching: resultQuery.isFetching,
    /** False while the results of the previous search are still shown. */
    isSettled: hits !== undefined && !isPlaceholderData,
    retry: () => void resultQuery.refetch(),
    loadMore:
      hasNextPage && !isPlaceholderData ? () => void resultQuery.fetchNextPage() : undefined,
    isTruncated: resultQuery.data?.pages.at(-1)?.more === true && !hasNextPage,
  }
}

async function searchByWords(
  search: TaskSearchQuery,
  cursor: string,
  signal: AbortSignal,
): Promise<TaskSearchPage> {
  const { q, who, project_id, places } = search
  const query = {
    q: q.slice(0, MAX_QUERY_LENGTH),
    limit: PAGE_LIMIT,
    ...(who !== undefined && { assignee_id: [who] }),
    ...(project_id !== undefined && { project_id }),
    ...(places.length > 0 && { in: [...places] }),
    ...(cursor && { cursor }),
  }
  const page = await queryTasks(
    () =>
      requestEndpointForResult<typeof searchTasks>('GET /internal/search', { query }, { signal }),
    ({ data }) => data.map(({ task }) => task),
  )
  const hits = page.data.map(({ task, ...hit }) => ({ ...pickIds(task), ...hit }))
  return { hits, next: page.next_cursor, more: page.has_more }
}

/** Without words, a search finds all tasks of a person. */
async function listTasksOfPerson(
  search: TaskSearchQuery,
  cursor: string,
  signal: AbortSignal,
): Promise<TaskSearchPage> {
  const { who, project_id } = search
  const query = {
    limit: PAGE_LIMIT,
    ...(who !== undefined && { assignee_id: [who] }),
    ...(project_id !== undefined && { project_id: [project_id] }),
    ...(cursor && { cursor }),
  }
  const page = await queryTasks(
    () => requestEndpointForResult<typeof listTasks>('GET /api/v1/tasks', { query }, { signal }),
    ({ data }) => data,
  )
  const none = { where: undefined, comment_id: null, snippet: undefined }
  const hits = page.data.map((task) => ({ ...pickIds(task), ...none }))
  return { hits, next: page.next_cursor, more: page.has_more }
}

const pickIds = ({ id, short_id }: Task) => ({ id, short_id })

/** Removes duplicates: a task that changes between two requests can be on both pages. */
const deduplicate = (hits: TaskSearchHit[] | undefined): TaskSearchHit[] | undefined =>
  hits && [...new Map(hits.toReversed().map((hit) => [hit.id, hit])).values()].toReversed()
