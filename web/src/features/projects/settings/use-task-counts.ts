import { useMemo } from 'react'
import { useHeldProject } from '../../../data/tasks/held-projects.ts'
import { getCachedTasks, useTasksRevision } from '../../../data/tasks/task-store.ts'

/** How many tasks of a project have each status; undefined until all of them are here. */
export function useTaskCounts(project_id: string): ReadonlyMap<string, number> | undefined {
  const { mode } = useHeldProject(project_id)
  const revision = useTasksRevision()
  // biome-ignore lint/correctness/useExhaustiveDependencies: any task may have another status since
  return useMemo(() => {
    if (mode !== 'loaded') return undefined
    const counts = new Map<string, number>()
    for (const task of getCachedTasks())
      if (task.project_id === project_id)
        counts.set(task.status, (counts.get(task.status) ?? 0) + 1)
    return counts
  }, [project_id, mode, revision])
}
