import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { getTask, listProjectTasks, listTasks } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { fetchAllPages } from '../cache/fetch-all-pages.ts'
import { putReadTasks } from './put-read-tasks.ts'
import { recordOpenedTask } from './recent-tasks.ts'
import type { Task } from './task-patch.ts'
import { findTaskIdByShortId, useHasPendingChanges, useTask } from './task-store.ts'

export interface TaskQueryResult {
  /** The task with its local changes; undefined while it loads, or if it does not exist. */
  task: Task | undefined
  /** The id, also after the task was deleted while it was shown. */
  id: string | undefined
  error: unknown
  retry: () => void
}

/** A task by its short id; it is recorded as recently opened. */
export function useOpenedTask(shortId: string): TaskQueryResult {
  const shown = useTaskByShortId(shortId)
  const { id } = shown
  useEffect(() => {
    if (id) recordOpenedTask(id)
  }, [id])
  return shown
}

/** A task by its current or a former short id: from the store at once, then from the server. */
export function useTaskByShortId(shortId: string): TaskQueryResult {
  const { data, error, refetch } = useQuery({
    queryKey: ['task', shortId.toUpperCase()],
    queryFn: ({ signal }) => fetchTaskOrMissing(shortId, signal),
    staleTime: 0,
  })
  const id = data?.id ?? findTaskIdByShortId(shortId)
  const task = useTask(id)
  const hasPendingChanges = useHasPendingChanges(id)
  // The task was deleted or evicted. The server knows which, once it has received own deletions.
  const isMissing = data?.id !== undefined && task === undefined && !hasPendingChanges
  useEffect(() => {
    if (isMissing) void refetch()
  }, [isMissing, refetch])
  return { task, id, error: data?.missing ?? error, retry: () => void refetch() }
}

/** Returns a 404 as data, so that "not found" stays on the screen during a refetch. */
async function fetchTaskOrMissing(
  shortId: string,
  signal: AbortSignal,
): Promise<{ id?: string; missing?: ApiResponseError }> {
  try {
    const { id } = await fetchTask(shortId, signal)
    return { id }
  } catch (error) {
    if (error instanceof ApiResponseError && error.status === 404) return { missing: error }
    throw error
  }
}

/** Fetches a task by id or short id into the store. */
export async function fetchTask(name: string, signal?: AbortSignal): Promise<Task> {
  const sent = { params: { id: name } }
  const task = await requestEndpoint<typeof getTask>(
    'GET /api/v1/tasks/:id',
    sent,
    signal ? { signal } : {},
  )
  putReadTasks([task])
  return task
}

/** Refetches a task whose derived fields another write has changed. Errors are ignored. */
export function refetchTask(id: string): void {
  fetchTask(id).catch(() => undefined)
}

/** The most ids of a request. */
const MAX_IDS = 100
const MAX_LOADED_TASKS = 300

/** Fetches the first 300 of these tasks into the store. The person may not see all of them. */
export function useLoadTasks(ids: readonly string[]): void {
  const sortedIds = ids.slice(0, MAX_LOADED_TASKS).toSorted()
  useQuery({
    queryKey: ['tasks', 'of', ...sortedIds],
    queryFn: async ({ signal }) => {
      for (let at = 0; at < sortedIds.length; at += MAX_IDS) {
        const sent = { query: { id: sortedIds.slice(at, at + MAX_IDS), limit: MAX_IDS } }
        const page = await requestEndpoint<typeof listTasks>('GET /api/v1/tasks', sent, { signal })
        putReadTasks(page.data)
      }
      return null
    },
    enabled: sortedIds.length > 0,
  })
}

/** Pages of subtasks that a task loads. The server does not move a task with more than these 1,000. */
const MAX_SUBTASK_PAGES = 5

/** Loads a task's subtasks by position and returns their ids; undefined until they are loaded. */
export function useSubtaskIds(task: Pick<Task, 'id' | 'project_id' | 'subtask_count'>) {
  const { data } = useQuery({
    queryKey: ['tasks', 'under', task.id, task.subtask_count],
    queryFn: async () => {
      const params = { id: task.project_id }
      const subtasks = await fetchAllPages((page) => {
        const query = { parent_id: task.id, sort: 'position' as const, ...page }
        const sent = { params, query }
        return requestEndpoint<typeof listProjectTasks>('GET /api/v1/projects/:id/tasks', sent)
      }, MAX_SUBTASK_PAGES)
      putReadTasks(subtasks)
      return subtasks.map(({ id }) => id)
    },
    enabled: task.subtask_count > 0,
    placeholderData: (before) => before,
  })
  return data
}
