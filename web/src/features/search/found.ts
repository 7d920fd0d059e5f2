import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { FoundTask, searchTasks } from '#resources/search/contract.ts'
import type { listTasks } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { putTasks } from '../../data/task-store.ts'
import { call } from '../../lib/call.ts'

/** A task that was found: its record is in the store. */
export interface Hit {
  id: string
  short_id: string
  where: FoundTask['where'] | undefined
  comment_id: string | null
  snippet: FoundTask['snippet'] | undefined
}

/** Where one can look beside everywhere. */
export const PLACES = ['title', 'description', 'comments'] as const
export type Place = (typeof PLACES)[number]

/** What is looked for: at least words or a person. */
export interface Wanted {
  q: string
  who: string | undefined
  project_id: string | undefined
  places: readonly Place[]
}

interface Page {
  hits: Hit[]
  next: string | null
  more: boolean
}

const MOST_LETTERS = 200
const PAGE = 100

/** What a search finds, a page at a time; nothing is asked without words or a person. */
export function useFound(wanted: Wanted) {
  const { q, who, project_id, places } = wanted
  const read = useInfiniteQuery({
    queryKey: ['search', q, who, project_id, places],
    enabled: q !== '' || who !== undefined,
    queryFn: ({ pageParam, signal }) =>
      q === '' ? tasksOf(wanted, pageParam, signal) : found(wanted, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (before) => before,
  })
  const hits = useMemo(() => distinct(read.data?.pages.flatMap((page) => page.hits)), [read.data])
  const { hasNextPage, isPlaceholderData } = read
  return {
    hits,
    error: read.error,
    isFetching: read.isFetching,
    /** What is shown is what was asked for, not what stood there before. */
    isSettled: hits !== undefined && !isPlaceholderData,
    retry: () => void read.refetch(),
    showMore: hasNextPage && !isPlaceholderData ? () => void read.fetchNextPage() : undefined,
    isCut: read.data?.pages.at(-1)?.more === true && !hasNextPage,
  }
}

async function found(wanted: Wanted, cursor: string, signal: AbortSignal): Promise<Page> {
  const { q, who, project_id, places } = wanted
  const query = {
    q: q.slice(0, MOST_LETTERS),
    limit: PAGE,
    ...(who !== undefined && { assignee_id: [who] }),
    ...(project_id !== undefined && { project_id }),
    ...(places.length > 0 && { in: [...places] }),
    ...(cursor && { cursor }),
  }
  const page = await call<typeof searchTasks>('GET /internal/search', { query }, { signal })
  putTasks(page.data.map(({ task }) => task))
  const hits = page.data.map(({ task, ...hit }) => ({ ...named(task), ...hit }))
  return { hits, next: page.next_cursor, more: page.has_more }
}

/** Without words all tasks of a person are found. */
async function tasksOf(wanted: Wanted, cursor: string, signal: AbortSignal): Promise<Page> {
  const { who, project_id } = wanted
  const query = {
    limit: PAGE,
    ...(who !== undefined && { assignee_id: [who] }),
    ...(project_id !== undefined && { project_id: [project_id] }),
    ...(cursor && { cursor }),
  }
  const page = await call<typeof listTasks>('GET /api/v1/tasks', { query }, { signal })
  putTasks(page.data)
  const none = { where: undefined, comment_id: null, snippet: undefined }
  const hits = page.data.map((task) => ({ ...named(task), ...none }))
  return { hits, next: page.next_cursor, more: page.has_more }
}

const named = ({ id, short_id }: Task) => ({ id, short_id })

/** A task that has changed between two pages is on both. */
const distinct = (hits: Hit[] | undefined): Hit[] | undefined =>
  hits && [...new Map(hits.toReversed().map((hit) => [hit.id, hit])).values()].toReversed()
