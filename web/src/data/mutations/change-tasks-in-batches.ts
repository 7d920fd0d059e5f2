import type { bulkTasks, listTasks } from '#resources/tasks/contract.ts'
import { type CallInput, requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { fetchAllPages } from '../cache/fetch-all-pages.ts'
import { refetchLists } from '../cache/query-client.ts'
import type { TaskPatch } from '../tasks/task-patch.ts'
import { putTasks } from '../tasks/task-store.ts'

type TaskIdFilter = NonNullable<CallInput<typeof listTasks>['query']>

const MAX_TASKS_PER_REQUEST = 100

/** The ids of all tasks that match a filter, across projects. */
export async function fetchTaskIds(filter: TaskIdFilter, signal?: AbortSignal): Promise<string[]> {
  const tasks = await fetchAllPages((page) => {
    const options = signal ? { signal } : {}
    return requestEndpoint<typeof listTasks>(
      'GET /api/v1/tasks',
      { query: { ...filter, ...page } },
      options,
    )
  })
  return tasks.map(({ id }) => id)
}

/**
 * Makes the same change to many tasks, 100 per request and not atomically, so that a rejected task
 * does not hold up the others. Calls `onStep` after each request; returns how many were rejected.
 */
export async function changeTasksInBatches(
  ids: readonly string[],
  patch: TaskPatch,
  onStep: (through: number) => void,
): Promise<number> {
  let rejectedCount = 0
  for (let at = 0; at < ids.length; at += MAX_TASKS_PER_REQUEST) {
    const operations = ids
      .slice(at, at + MAX_TASKS_PER_REQUEST)
      .map((id) => ({ op: 'update' as const, id, data: patch }))
    const body = { operations, atomic: false }
    const { results, failed } = await requestEndpoint<typeof bulkTasks>('POST /api/v1/tasks/bulk', {
      body,
    })
    rejectedCount += failed
    putTasks(results.flatMap(({ data }) => data ?? []))
    onStep(Math.min(at + MAX_TASKS_PER_REQUEST, ids.length))
  }
  refetchLists()
  return rejectedCount
}
