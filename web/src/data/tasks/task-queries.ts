import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { getTask } from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { recordOpenedTask } from './recent-tasks.ts'
import type { Task } from './task-patch.ts'
import { queryTasks, taskReplica } from './task-replica.ts'
import {
  findTaskIdByShortId,
  getServerTask,
  needTasks,
  useHasPendingChanges,
  useTask,
} from './task-store.ts'

interface TaskQueryResult {
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
  // A list that was read again may have brought a newer version without its details.
  const partialVersion = task?.description === undefined ? task?.version : undefined
  useEffect(() => {
    // A read that began before an own deletion has ended may still find the task.
    if (isMissing || partialVersion !== undefined) void refetch({ cancelRefetch: isMissing })
  }, [isMissing, partialVersion, refetch])
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
  return queryTasks(
    () =>
      requestEndpointForResult<typeof getTask>(
        'GET /api/v1/tasks/:id',
        sent,
        signal ? { signal } : {},
      ),
    (task) => [task],
  )
}

const MAX_LOADED_TASKS = 300

/** Reads the first 300 of these tasks, unless they are here. The person may not see all of them. */
export function useLoadTasks(ids: readonly string[]): void {
  const wanted = ids.slice(0, MAX_LOADED_TASKS).join()
  useEffect(() => {
    const wantedIds = wanted.split(',').filter((id) => id !== '')
    const missingIds = wantedIds.filter((id) => !getServerTask(id))
    if (missingIds.length > 0) void taskReplica.read(missingIds)
    return needTasks(wantedIds)
  }, [wanted])
}

/**
 * A task as the server has it, which is asked unless the page holds it. Undefined if there is none
 * for this person: it was deleted, or they have no access.
 */
export async function readServerTask(id: string): Promise<Task | undefined> {
  if (!getServerTask(id)) await taskReplica.read([id])
  return getServerTask(id)
}

/** The server has no such task for this person any more, so a change of it was not sent. */
export class TaskGoneError extends Error {}
