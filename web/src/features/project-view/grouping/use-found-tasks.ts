import { useInfiniteQuery } from '@tanstack/react-query'
import { createContext, useMemo } from 'react'
import type { listTasks } from '#resources/tasks/contract.ts'
import type { SearchResult, searchTasks } from '#resources/web-app/search/contract.ts'
import { queryTasks } from '../../../data/tasks/task-replica.ts'
import { type CallInput, requestEndpointForResult } from '../../../lib/http/request-endpoint.ts'
import { formatSort } from '../../property-definitions.ts'
import {
  asksForFinished,
  type FilterParams,
  getFilterText,
  toFilterQuery,
} from '../filter/filter-query.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'

/** Where the server has found the words of a search in a task. */
export type TaskMatch = Pick<SearchResult, 'where' | 'snippet' | 'comment_id'>

/** The tasks that the server has found for a view, by id. */
export type FoundTasks = ReadonlyMap<string, TaskMatch | undefined>

const NOTHING: FoundTasks = new Map()
/** Where the words of the list were found, for its rows. */
export const FoundTasksContext = createContext(NOTHING)

interface FoundPage {
  found: readonly (readonly [id: string, match: TaskMatch | undefined])[]
  next: string | null
}

const PAGE_LIMIT = 100
/** The orders of `GET /api/v1/tasks`. */
const SERVER_ORDERS: readonly string[] = ['created_at', 'updated_at', 'due_date', 'priority']

/**
 * What a view of all projects shows besides the open tasks that the page holds: finished ones, if its
 * filter asks for them, and those that have its words in their comments or descriptions. The server
 * finds them page by page.
 */
export function useFoundTasks(
  { project, filterContext }: ProjectPageContext,
  { filter, sort, descending }: Pick<ProjectView, 'filter' | 'sort' | 'descending'>,
) {
  const text = getFilterText(filter)
  const isNeeded =
    project === undefined && (text !== undefined || asksForFinished(filter, filterContext))
  const { q: _, ...params } = toFilterQuery(filter, filterContext).api
  // The page sorts what has come; the server knows fewer orders.
  const order = SERVER_ORDERS.includes(sort) ? formatSort({ sort, descending }) : '-updated_at'
  const query = useInfiniteQuery({
    queryKey: text === undefined ? ['tasks', 'found', params, order] : ['search', text, params],
    enabled: isNeeded,
    queryFn: ({ pageParam, signal }) =>
      text === undefined
        ? listOnServer({ ...params, sort: order }, pageParam, signal)
        : searchOnServer(text, params, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    structuralSharing: false,
  })
  const { data, error, hasNextPage, fetchNextPage, refetch } = query
  const found = useMemo(
    () => (isNeeded && data ? new Map(data.pages.flatMap((page) => page.found)) : NOTHING),
    [isNeeded, data],
  )
  const isIncomplete = isNeeded && data === undefined
  return {
    found,
    /** Whether tasks may be missing, because the server has not answered. */
    isIncomplete,
    error: isIncomplete ? (error ?? undefined) : undefined,
    retry: () => void refetch(),
    loadMore: isNeeded && hasNextPage ? () => void fetchNextPage() : undefined,
  }
}

type QueryOf<E extends typeof listTasks | typeof searchTasks> = NonNullable<CallInput<E>['query']>

async function listOnServer(
  params: FilterParams,
  cursor: string,
  signal: AbortSignal,
): Promise<FoundPage> {
  const query = { ...params, limit: PAGE_LIMIT, ...(cursor && { cursor }) } as QueryOf<
    typeof listTasks
  >
  const page = await queryTasks(
    () => requestEndpointForResult<typeof listTasks>('GET /api/v1/tasks', { query }, { signal }),
    ({ data }) => data,
  )
  return { found: page.data.map(({ id }) => [id, undefined]), next: page.next_cursor }
}

/** The page applies the rest of the filter to what the words have found. */
async function searchOnServer(
  q: string,
  { assignee_id, project_id }: FilterParams,
  cursor: string,
  signal: AbortSignal,
): Promise<FoundPage> {
  const [onlyProject, ...otherProjects] = [project_id].flat()
  const query = {
    q,
    limit: PAGE_LIMIT,
    ...(assignee_id !== undefined && { assignee_id }),
    ...(onlyProject !== undefined && otherProjects.length === 0 && { project_id: onlyProject }),
    ...(cursor && { cursor }),
  } as QueryOf<typeof searchTasks>
  const page = await queryTasks(
    () =>
      requestEndpointForResult<typeof searchTasks>('GET /internal/search', { query }, { signal }),
    ({ data }) => data.map(({ task }) => task),
  )
  const found = page.data.map(({ task, ...match }) => [task.id, match] as const)
  return { found, next: page.next_cursor }
}
