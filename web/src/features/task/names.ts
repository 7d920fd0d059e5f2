import { useMemo } from 'react'
import { nameOf, useBoot } from '../../data/boot.ts'
import { useTags } from '../../data/tags.ts'
import { taskOf } from '../../data/task-store.ts'
import { m as activity } from '../../messages/activity.ts'
import { type Names, valueWords } from './field-words.ts'
import { useOpenTask } from './open-task.ts'

/** How people, tags, tasks, projects and statuses are called where the task is shown. */
export function useNames(): Names & { value: (field: string, value: unknown) => string } {
  const boot = useBoot()
  const { task, project } = useOpenTask()
  const tags = useTags(task.project_id)
  return useMemo(() => {
    const names: Names = {
      person: (id) => nameOf(boot, id),
      tag: (id) => tags.find((tag) => tag.id === id)?.name ?? activity.aTag,
      task: (id) => taskOf(id)?.short_id ?? activity.aTask,
      project: (id) => boot.projects.find((one) => one.id === id)?.name ?? id,
      status: (key) => project?.statuses.find((status) => status.key === key)?.name ?? key,
    }
    return { ...names, value: (field, value) => valueWords(field, value, names) }
  }, [boot, tags, project])
}
