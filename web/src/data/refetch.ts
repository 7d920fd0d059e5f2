import { QueryClient } from '@tanstack/react-query'
import { isPassing } from '../lib/problem.ts'
import { loadBootSoon } from './boot.ts'

/** What was read, by what it is: `['index', project_id, …]`, `['comments', task_id]`, `['tags', project_id]`. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      // Without a network what this browser has kept is read.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) => failures < 3 && isPassing(error),
      retryDelay: (failures) => [500, 2_000, 8_000][failures] ?? 8_000,
    },
  },
})

const WAIT_MS = 250
/** While others write without a pause. */
const CROWD_MS = 1_000

/** Reads the lists that are on the screen again, shortly after one of several writes. */
export function refetchLists(): void {
  for (const list of ['index', 'tasks', 'search']) refetchSoon([list])
  // The sidebar counts tasks.
  loadBootSoon()
}

const stale = new Map<string, readonly unknown[]>()
let reading = false

/**
 * Reads what begins with a key again: writes of others come in crowds, so four times a second at most (once, if
 * there is no end of it), and
 * never before the reading that is under way has ended (it would be cut off, again and again).
 */
export function refetchSoon(queryKey: readonly unknown[]): void {
  stale.set(JSON.stringify(queryKey), queryKey)
  if (reading) return
  reading = true
  setTimeout(readStale, WAIT_MS)
}

async function readStale(): Promise<void> {
  const keys = [...stale.values()]
  stale.clear()
  await Promise.allSettled(keys.map((queryKey) => queries.invalidateQueries({ queryKey })))
  reading = stale.size > 0
  if (reading) setTimeout(readStale, CROWD_MS)
}

/** Reads again what is mounted, and forgets the rest. */
export const refetchAll = (): Promise<void> => queries.invalidateQueries()

/** Reads again what could not be read, now that the server is back. */
export const refetchFailed = (): Promise<void> =>
  queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
