import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { getTask, listTasks, listTasksOfProject } from '#resources/tasks/contract.ts'
import { call } from '../lib/call.ts'
import { Problem } from '../lib/problem.ts'
import { noteOpened } from './recent.ts'
import { idOfShort, putTasks, useTask, useWaiting } from './task-store.ts'
import type { Task } from './task-view.ts'

export interface ShownTask {
  /** What is to be shown; undefined while it is not known, or where there is none. */
  task: Task | undefined
  /** The id, also of one that was deleted while it was shown. */
  id: string | undefined
  error: unknown
  retry: () => void
}

/** A task by its short id that is opened: it is one of the recent ones from now on. */
export function useShownTask(shortId: string): ShownTask {
  const shown = useTaskNamed(shortId)
  const { id } = shown
  useEffect(() => {
    if (id) noteOpened(id)
  }, [id])
  return shown
}

/** A task by its short id, present or former: what is known of it at once, then as the server has it. */
export function useTaskNamed(shortId: string): ShownTask {
  const { data, error, refetch } = useQuery({
    queryKey: ['task', shortId.toUpperCase()],
    queryFn: ({ signal }) => answerAbout(shortId, signal),
    staleTime: 0,
  })
  const id = data?.id ?? idOfShort(shortId)
  const task = useTask(id)
  const waits = useWaiting(id)
  // It was deleted, or only forgotten: the server knows, once it has heard of a deletion from here.
  const lost = data?.id !== undefined && task === undefined && !waits
  useEffect(() => {
    if (lost) void refetch()
  }, [lost, refetch])
  return { task, id, error: data?.missing ?? error, retry: () => void refetch() }
}

/** That there is none is an answer too, and stands while it is asked again. */
async function answerAbout(
  shortId: string,
  signal: AbortSignal,
): Promise<{ id?: string; missing?: Problem }> {
  try {
    const { id } = await readTask(shortId, signal)
    return { id }
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return { missing: error }
    throw error
  }
}

/** Reads a task, by id or short id, into what the page knows. */
export async function readTask(name: string, signal?: AbortSignal): Promise<Task> {
  const sent = { params: { id: name } }
  const task = await call<typeof getTask>('GET /api/v1/tasks/:id', sent, signal ? { signal } : {})
  putTasks([task])
  return task
}

/** The same for derived fields that a write of something else has changed; trouble is no matter here. */
export function rereadTask(id: string): void {
  readTask(id).catch(() => undefined)
}

/** Tasks by id that are not all known: read in one request. Which of them the person sees is in the store then. */
export function useTasksOf(ids: readonly string[]): void {
  const wanted = ids.slice(0, 100).toSorted()
  useQuery({
    queryKey: ['tasks', 'of', ...wanted],
    queryFn: async () => {
      const query = { id: wanted, limit: 100 }
      const page = await call<typeof listTasks>('GET /api/v1/tasks', { query })
      putTasks(page.data)
      return page.data.map(({ id }) => id)
    },
    enabled: wanted.length > 0,
  })
}

/** The subtasks of a task, in order of their places; undefined until they came. */
export function useSubtaskIds(task: Pick<Task, 'id' | 'project_id' | 'subtask_count'>) {
  const { data } = useQuery({
    queryKey: ['tasks', 'under', task.id, task.subtask_count],
    queryFn: async () => {
      const query = { parent_id: task.id, sort: 'position' as const, limit: 200 }
      const params = { id: task.project_id }
      const page = await call<typeof listTasksOfProject>('GET /api/v1/projects/:id/tasks', {
        params,
        query,
      })
      putTasks(page.data)
      return page.data.map(({ id }) => id)
    },
    enabled: task.subtask_count > 0,
    placeholderData: (before) => before,
  })
  return data
}
