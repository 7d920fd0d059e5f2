import { useEffect, useRef } from 'react'
import type { listSimilarTasks } from '#resources/web-app/suggestions/contract.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast, type Toast } from '../app/toasts.ts'
import { mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import { deleteTaskWithUndo } from './change-task.ts'
import type { Task } from './task-patch.ts'
import { getCachedTask } from './task-store.ts'

/** Tasks whose short id is similar to one that does not exist. */
export async function fetchSimilarTasks(
  short_id: string,
): Promise<{ short_id: string; title: string }[]> {
  if (!/^[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]*$/.test(short_id)) return []
  return (
    await requestEndpoint<typeof listSimilarTasks>('GET /internal/near', { query: { short_id } })
  ).data
}

/** Restores a deleted task. Once the server has done so, a toast says it and can undo it. */
export function useRestoration(
  task: Pick<Task, 'id' | 'short_id'>,
  onRestored: () => void,
  action?: Toast['action'],
) {
  const { id, short_id } = task
  const isQueued = useAtom(mutationQueue).some(
    ({ payload }) => payload.kind === 'restore' && payload.id === id,
  )
  const wasQueued = useRef(false)
  useEffect(() => {
    if (wasQueued.current && !isQueued) {
      if (getCachedTask(id)) {
        const text = mutationMessages.restored(short_id)
        showToast({ text, undo: () => deleteTaskWithUndo(id), ...(action && { action }) })
      }
      onRestored()
    }
    wasQueued.current = isQueued
  }, [isQueued, onRestored, action, id, short_id])
  return { isQueued, restore: () => queueRestoration(task) }
}

/** Queues the restoration of a deleted task, which is not shown before the server has restored it. */
function queueRestoration({ id, short_id }: Pick<Task, 'id' | 'short_id'>): void {
  mutationLog.add({
    key: crypto.randomUUID(),
    queueKey: id,
    label: mutationMessages.restored(short_id),
    payload: { kind: 'restore', id, short_id },
  })
}
