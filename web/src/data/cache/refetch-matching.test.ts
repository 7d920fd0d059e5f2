import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { refetchMatching } from './refetch-matching.ts'
import { repeatRunningRead } from './repeat-running-read.ts'

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

test('what is put into a query outlives the reads that were under way, also the first', async (t) => {
  const client = new QueryClient()
  t.after(() => client.clear())
  const onServer = ['first']
  const queryKey = ['test', 'record']
  // A reply is made when the read begins, and comes later.
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: () => nextTurn([...onServer]),
  })
  observer.subscribe(() => {})
  for (const added of ['during the first read', 'during a later read']) {
    const reading = observer.refetch({ cancelRefetch: false })
    onServer.push(added)
    client.setQueryData<string[]>(queryKey, (all) => all && [...onServer])
    await Promise.all([reading, repeatRunningRead(client, queryKey)])
    assert.deepEqual(observer.getCurrentResult().data, onServer)
  }
})
