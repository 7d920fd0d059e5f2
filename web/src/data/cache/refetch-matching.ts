import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query'

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
