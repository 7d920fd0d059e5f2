import { useEffect, useRef } from 'react'
import type { Task } from './task-patch.ts'
import { taskReplica } from './task-replica.ts'
import { getCachedTask, getCachedTasks, getServerTask, subscribeToTasks } from './task-store.ts'

/** The most tasks that a screen reads because others refer to them, in ten requests. */
const MAX_READ_TASKS = 1_000

/**
 * Reads the parents and blockers of the tasks of a screen that the page does not hold: finished ones on
 * the screens of all projects, and blockers in other projects. Without them a task would count as blocked,
 * and its parent would have no name.
 */
export function useLoadReferencedTasks(isShown: (task: Task) => boolean, isWhole: boolean): void {
  const referencedIds = useRef(new Set<string>())
  // The person may not see all of them.
  const requestedIds = useRef(new Set<string>())
  useEffect(() => {
    if (!isWhole) return
    const referenced = referencedIds.current
    const requested = requestedIds.current
    const load = (tasks: readonly Task[], changedIds: Iterable<string>) => {
      const candidates = new Set<string>()
      for (const task of tasks)
        if (isShown(task)) for (const id of listReferences(task)) candidates.add(id)
      for (const id of candidates) referenced.add(id)
      // A blocker that somebody finishes is held no longer.
      for (const id of changedIds) if (referenced.has(id)) candidates.add(id)
      const missing = [...candidates]
        .filter((id) => !requested.has(id) && !getServerTask(id))
        .slice(0, MAX_READ_TASKS - requested.size)
      if (missing.length === 0) return
      for (const id of missing) requested.add(id)
      void taskReplica.read(missing)
    }
    load(getCachedTasks(), [])
    return subscribeToTasks((ids) =>
      load(
        [...ids].flatMap((id) => getCachedTask(id) ?? []),
        ids,
      ),
    )
  }, [isShown, isWhole])
}

const listReferences = ({ parent_id, blocked_by_ids }: Task): readonly string[] =>
  parent_id === null ? blocked_by_ids : [parent_id, ...blocked_by_ids]
