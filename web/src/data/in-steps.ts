import type { bulkTasks, listTasks } from '#resources/tasks/contract.ts'
import { call, type Sent } from '../lib/call.ts'
import { allPages } from './pages.ts'
import { refetchLists } from './refetch.ts'
import { putTasks } from './task-store.ts'
import type { TaskPatch } from './task-view.ts'

type Wanted = NonNullable<Sent<typeof listTasks>['query']>

const STEP = 100

/** The ids of all tasks that fit a filter, whatever project they are in. */
export async function idsOfTasks(filter: Wanted, signal?: AbortSignal): Promise<string[]> {
  const tasks = await allPages((page) => {
    const options = signal ? { signal } : {}
    return call<typeof listTasks>('GET /api/v1/tasks', { query: { ...filter, ...page } }, options)
  })
  return tasks.map(({ id }) => id)
}

/**
 * Gives many tasks the same change, a hundred a request; each on its own, so that one that is refused
 * does not hold up the others. Tells after each request how many are through; gives how many were refused.
 */
export async function changeInSteps(
  ids: readonly string[],
  patch: TaskPatch,
  onStep: (through: number) => void,
): Promise<number> {
  let refused = 0
  for (let at = 0; at < ids.length; at += STEP) {
    const operations = ids
      .slice(at, at + STEP)
      .map((id) => ({ op: 'update' as const, id, data: patch }))
    const body = { operations, atomic: false }
    const { results, failed } = await call<typeof bulkTasks>('POST /api/v1/tasks/bulk', { body })
    refused += failed
    putTasks(results.flatMap(({ data }) => data ?? []))
    onStep(Math.min(at + STEP, ids.length))
  }
  refetchLists()
  return refused
}
