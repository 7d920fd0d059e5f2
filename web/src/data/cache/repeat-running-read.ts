import type { QueryClient } from '@tanstack/react-query'
import { refetchMatching } from './refetch-matching.ts'

/** Reads a query again whose reply is on its way: it may be older than what was just put into the query. */
export async function repeatRunningRead(
  client: QueryClient,
  queryKey: readonly unknown[],
): Promise<void> {
  const query = client.getQueryCache().find({ queryKey })
  if (query?.state.fetchStatus !== 'fetching') return
  // A first read cannot be replaced by another one before it has ended.
  if (query.state.data === undefined) await Promise.allSettled([query.promise])
  await refetchMatching(client, { queryKey })
}
