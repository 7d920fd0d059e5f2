import { toStatusCommand } from '../../../data/tasks/bulk-command.ts'
import { toDuePatch } from '../../../data/tasks/due-day.ts'
import { getCompletedStatus, type Task, type TaskPatch } from '../../../data/tasks/task-patch.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import type { ProjectPageContext, StableBoot } from '../project-page-context.ts'
import type { TaskCommand } from './run-command.tsx'

const patchCommand = (label: TaskCommand['label'], patch: TaskPatch): TaskCommand => ({
  label,
  changeIn: () => ({ kind: 'patch', patch }),
})

export function setStatus(
  { boot, statuses }: Pick<ProjectPageContext, 'boot' | 'statuses'>,
  key: string,
): TaskCommand {
  const status = statuses.find((one) => one.key === key)
  return {
    label: (targets) => projectViewMessages.moved(targets, status?.name ?? key),
    changeIn(project_id) {
      const project = boot.projects.find(({ id }) => id === project_id)
      return project?.statuses.some((one) => one.key === key)
        ? toStatusCommand(project, key)
        : undefined
    },
  }
}

/** Completes a task that is not completed, else reopens it; undefined if no status allows that. */
export function toggleCompleted(
  { projectOf }: Pick<ProjectPageContext, 'projectOf'>,
  task: Task,
): TaskCommand | undefined {
  const project = projectOf(task)
  const done = getCompletedStatus(project)
  if (task.status_category !== 'completed') {
    return done
      ? {
          label: projectViewMessages.completed,
          changeIn: () => ({ kind: 'complete', status: done }),
        }
      : undefined
  }
  const statusIn = (category: string) => project?.statuses.find((one) => one.category === category)
  const open = statusIn('unstarted') ?? statusIn('backlog') ?? statusIn('started')
  return open && patchCommand(projectViewMessages.reopened, { status: open.key })
}

export const setPriority = (priority: Task['priority']): TaskCommand =>
  patchCommand(
    (targets) => projectViewMessages.prioritySet(targets, projectViewMessages.priorities[priority]),
    { priority },
  )

export const setAssignees = (added: string[], removed: string[]): TaskCommand =>
  patchCommand(projectViewMessages.peopleSet, {
    ...(added.length > 0 && { add_assignee_ids: added }),
    ...(removed.length > 0 && { remove_assignee_ids: removed }),
  })

/** Each project has tags of its own, so that of those given, a task gets the ones of its project. */
export function setTags(
  { tags }: Pick<ProjectPageContext, 'tags'>,
  added: readonly string[],
  removed: readonly string[],
): TaskCommand {
  const isOf = (project_id: string) => (id: string) => {
    const tag = tags.find((one) => one.id === id)
    return (tag?.project_id ?? project_id) === project_id
  }
  return {
    label: projectViewMessages.tagsSet,
    changeIn(project_id) {
      const [add, remove] = [added, removed].map((ids) => ids.filter(isOf(project_id)))
      if (!add?.length && !remove?.length) return undefined
      const patch = {
        ...(add?.length && { add_tag_ids: add }),
        ...(remove?.length && { remove_tag_ids: remove }),
      }
      return { kind: 'patch', patch }
    },
  }
}

/** Sets the due date that was picked in the viewer's time zone. */
export const setDueDate = (
  { boot }: Pick<ProjectPageContext, 'boot'>,
  picked: Parameters<typeof toDuePatch>[0],
): TaskCommand =>
  patchCommand(
    (targets) =>
      projectViewMessages.dueSet(
        targets,
        picked.date === null ? projectViewMessages.noValue : formatDay(picked.date),
      ),
    toDuePatch(picked, boot.session.workspace.timezone),
  )

export const setStartDate = (start_date: Task['start_date']): TaskCommand =>
  patchCommand(
    (targets) =>
      projectViewMessages.startSet(
        targets,
        start_date === null ? projectViewMessages.noValue : formatDay(start_date),
      ),
    { start_date },
  )

/** Sets how tasks repeat, which `label` describes; null ends the repetition. */
export const setRepeat = (
  recurrence: NonNullable<Task['recurrence']> | null,
  label: string,
): TaskCommand =>
  patchCommand((targets) => projectViewMessages.repeatSet(targets, label), { recurrence })

export const setEstimate = (estimate_seconds: number | null): TaskCommand =>
  patchCommand(
    (targets) =>
      projectViewMessages.estimateSet(
        targets,
        estimate_seconds === null ? projectViewMessages.noValue : formatDuration(estimate_seconds),
      ),
    { estimate_seconds },
  )

export const moveToProject = (project_id: string, name: string): TaskCommand =>
  patchCommand((targets) => projectViewMessages.moved(targets, name), { project_id })

/** Completes tasks that may belong to different projects. */
export const completeAll = ({ projects }: Pick<StableBoot, 'projects'>): TaskCommand => ({
  label: projectViewMessages.completed,
  changeIn(project_id) {
    const status = getCompletedStatus(projects.find(({ id }) => id === project_id))
    return status === undefined ? undefined : { kind: 'complete', status }
  },
})

export const deleteTasks = ({
  undeletable,
}: Pick<ProjectPageContext, 'undeletable'>): TaskCommand => ({
  label: projectViewMessages.deleted,
  changeIn: () => ({ kind: 'delete' }),
  isAllowed: (task) => !undeletable(task),
})
