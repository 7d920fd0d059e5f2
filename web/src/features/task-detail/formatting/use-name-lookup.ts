import { useMemo } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { useTags } from '../../../data/resources/tags.ts'
import { getMemberName, useBoot } from '../../../data/session/boot.ts'
import { getStatusName } from '../../../data/tasks/task-patch.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { activityMessages } from '../../../messages/tasks/activity.ts'
import { useOpenTask } from '../open-task-context.ts'
import { formatFieldValue, type NameLookup } from './format-field-value.ts'

type ValueLookup = NameLookup & { value: (field: string, value: unknown) => string }

/** Returns the names of people, tags, tasks, projects and statuses in the open task's project. */
export function useNameLookup(): ValueLookup {
  const { task, project } = useOpenTask()
  return useProjectNameLookup(task.project_id, project)
}

/** Returns the names of people, tags, tasks, projects and statuses in a project, if it is known. */
export function useProjectNameLookup(
  project_id: string | undefined,
  project: Project | undefined,
): ValueLookup {
  const boot = useBoot('projects', 'members', 'former')
  const tags = useTags(project_id)
  return useMemo(() => {
    const names: NameLookup = {
      person: (id) => getMemberName(boot, id),
      tag: (id) => tags.find((tag) => tag.id === id)?.name ?? activityMessages.aTag,
      task: (id) => getCachedTask(id)?.short_id ?? activityMessages.aTask,
      project: (id) => boot.projects.find((one) => one.id === id)?.name ?? id,
      status: (key) => getStatusName(project, key),
    }
    return { ...names, value: (field, value) => formatFieldValue(field, value, names) }
  }, [boot, tags, project])
}
