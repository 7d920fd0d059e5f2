import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { refetchMatching } from './query-client.ts'

/** Shows a list of which two of three pages are loaded, and records what it asks for from then on. */
async function showList(client: QueryClient, name: string) {
  const requested: number[] = []
  const options = {
    queryKey: ['test', name],
    async queryFn({ pageParam, signal }: { pageParam: number; signal: AbortSignal }) {
      requested.push(pageParam)
      await nextTurn(undefined, { signal })
      return pageParam
    },
    initialPageParam: 1,
    getNextPageParam: (page: number) => (page < 3 ? page + 1 : undefined),
  }
  const observer = new InfiniteQueryObserver(client, options)
  observer.subscribe(() => {})
  await observer.refetch()
  await observer.fetchNextPage()
  requested.length = 0
  return { requested, loadNextPage: () => observer.fetchNextPage() }
}

test('a further page that replaces a refetch is followed by another refetch, of this list alone', async (t) => {
  const client = new QueryClient()
  t.after(() => client.clear())
  const [shown, other] = [await showList(client, 'shown'), await showList(client, 'other')]
  const done = refetchMatching(client, {})
  // By then the refetch has asked for the first page.
  await nextTurn()
  await shown.loadNextPage()
  await done
  assert.deepEqual(shown.requested, [1, 3, 1, 2, 3])
  assert.deepEqual(other.requested, [1, 2])
})
