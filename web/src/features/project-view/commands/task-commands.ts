import type { Boot } from '../../../data/session/boot.ts'
import { toStatusCommand } from '../../../data/tasks/bulk-command.ts'
import { toDuePatch } from '../../../data/tasks/due-day.ts'
import { getCompletedStatus, type Task, type TaskPatch } from '../../../data/tasks/task-patch.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { TaskCommand } from './run-command.tsx'

const patchCommand = (label: TaskCommand['label'], patch: TaskPatch): TaskCommand => ({
  label,
  changeIn: () => ({ kind: 'patch', patch }),
})

export function setStatus(
  { project }: Pick<ProjectPageContext, 'project'>,
  key: string,
): TaskCommand {
  const status = project.statuses.find((one) => one.key === key)
  return {
    label: (targets) => projectViewMessages.moved(targets, status?.name ?? key),
    changeIn: () => toStatusCommand(project, key),
  }
}

/** Completes a task that is not completed, else reopens it; undefined if no status allows that. */
export function toggleCompleted(
  { project }: ProjectPageContext,
  task: Task,
): TaskCommand | undefined {
  const done = getCompletedStatus(project)
  if (task.status_category !== 'completed') {
    return done
      ? {
          label: projectViewMessages.completed,
          changeIn: () => ({ kind: 'complete', status: done }),
        }
      : undefined
  }
  const statusIn = (category: string) => project.statuses.find((one) => one.category === category)
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

export const setTags = (added: string[], removed: string[]): TaskCommand =>
  patchCommand(projectViewMessages.tagsSet, {
    ...(added.length > 0 && { add_tag_ids: added }),
    ...(removed.length > 0 && { remove_tag_ids: removed }),
  })

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
export const completeAll = ({ projects }: Pick<Boot, 'projects'>): TaskCommand => ({
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
