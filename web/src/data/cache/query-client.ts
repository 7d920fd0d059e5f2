import { type Query, QueryClient, type QueryFilters } from '@tanstack/react-query'
import { isRetryable } from '../../lib/http/problem.ts'

/** All queries. Keys begin with a noun: `['comments', task_id]`. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      // Without a network, queries read from the offline cache.
      networkMode: 'always',
      // `apply-live-event.ts` refetches what the feed does not keep up to date.
      refetchOnReconnect: false,
      retry: (failures, error) => failures < 3 && isRetryable(error),
      retryDelay: (failures) => [500, 2_000, 8_000][failures] ?? 8_000,
    },
  },
})

const REFETCH_DELAY_MS = 250
/** Interval while other clients write without a pause. */
const BURST_REFETCH_INTERVAL_MS = 1_000

/** Refetches the lists that are on the screen, soon after a write. */
export function refetchLists(): void {
  for (const list of ['tasks', 'search']) refetchSoon([list])
}

const staleKeys = new Map<string, readonly unknown[]>()
let isRefetching = false

/**
 * Refetches the queries under a key. Writes of others come in bursts, so it runs at most four times
 * a second, and once a second while a burst lasts. It never starts before the running refetch has
 * ended, which would cancel that one again and again.
 */
export function refetchSoon(queryKey: readonly unknown[]): void {
  staleKeys.set(JSON.stringify(queryKey), queryKey)
  if (isRefetching) return
  isRefetching = true
  setTimeout(refetchStaleQueries, REFETCH_DELAY_MS)
}

async function refetchStaleQueries(): Promise<void> {
  const keys = [...staleKeys.values()]
  staleKeys.clear()
  await Promise.allSettled(keys.map((queryKey) => invalidate({ queryKey })))
  isRefetching = staleKeys.size > 0
  if (isRefetching) setTimeout(refetchStaleQueries, BURST_REFETCH_INTERVAL_MS)
}

/** Refetches all mounted queries and marks the others as stale. */
export const refetchAll = (): Promise<void> => invalidate()

/** Refetches the mounted queries that match and marks the others as stale. */
export const invalidate = (filters: QueryFilters = {}): Promise<void> =>
  refetchMatching(queryClient, filters)

/** Bounds the repetitions while somebody loads one page after the other. */
const MAX_REFETCHES = 3

/**
 * Refetches the mounted queries that match and marks the others as stale. A query has one request at
 * a time, and the next one replaces it: so this waits for a further page of a list, which would be
 * lost, and refetches a list once more if such a page has replaced its refetch.
 */
export async function refetchMatching(client: QueryClient, filters: QueryFilters): Promise<void> {
  const queries = client.getQueryCache()
  let matching = filters
  for (let count = 0; count < MAX_REFETCHES; count += 1) {
    const pending = queries.findAll({ ...matching, fetchStatus: 'fetching' }).filter(loadsPage)
    await Promise.allSettled(pending.map(({ promise }) => promise))
    await client.invalidateQueries(matching)
    const replaced = queries.findAll({ ...matching, type: 'active' }).filter(loadsPage)
    if (replaced.length === 0) return
    matching = { predicate: (query) => replaced.includes(query) }
  }
}

/** Whether the last request of a query was for a further page. */
const loadsPage = ({ state }: Query): boolean => state.fetchMeta?.fetchMore !== undefined
