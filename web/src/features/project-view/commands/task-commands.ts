import type { Boot } from '../../../data/session/boot.ts'
import { getCompletedStatus, type Task, type TaskPatch } from '../../../data/tasks/task-patch.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { TaskCommand } from './run-command.tsx'

const patchCommand = (label: TaskCommand['label'], patch: TaskPatch): TaskCommand => ({
  label,
  changeFor: (task) => (hasEffect(task, patch) ? { kind: 'patch', patch } : undefined),
})

/**
 * Whether a patch changes a task. Additions to and removals from a set always count as a change.
 */
const hasEffect = (task: Task, patch: TaskPatch): boolean =>
  Object.entries(patch).some(([name, value]) => task[name as keyof Task] !== value)

export function setStatus(
  { project }: Pick<ProjectPageContext, 'project'>,
  key: string,
): TaskCommand {
  const status = project.statuses.find((one) => one.key === key)
  const label = (targets: string) => projectViewMessages.moved(targets, status?.name ?? key)
  // The complete operation leads to the same status, but also creates the next task of a recurring
  // series.
  return key === getCompletedStatus(project)
    ? { label, changeFor: (task) => completeOrPatch(task, key) }
    : patchCommand(label, { status: key })
}

const completeOrPatch = (task: Task, status: string) =>
  task.status === status
    ? undefined
    : task.status_category === 'completed'
      ? ({ kind: 'patch', patch: { status } } as const)
      : ({ kind: 'complete', patch: { status } } as const)

/** Completes a task that is not completed, else reopens it; undefined if no status allows that. */
export function toggleCompleted(
  { project }: ProjectPageContext,
  task: Task,
): TaskCommand | undefined {
  const done = getCompletedStatus(project)
  if (task.status_category !== 'completed') {
    return done
      ? { label: projectViewMessages.completed, changeFor: (one) => completeOrPatch(one, done) }
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

export const setDueDate = (date: string | null, at: string | null): TaskCommand => ({
  label: (targets) =>
    projectViewMessages.dueSet(
      targets,
      date === null ? projectViewMessages.noDue : formatDay(date),
    ),
  changeFor: () => ({
    kind: 'patch',
    patch: at === null ? { due_date: date } : { due_date: date, due_at: at },
  }),
})

export const setEstimate = (estimate_seconds: number | null): TaskCommand =>
  patchCommand(
    (targets) =>
      projectViewMessages.estimateSet(
        targets,
        estimate_seconds === null ? projectViewMessages.noDue : formatDuration(estimate_seconds),
      ),
    { estimate_seconds },
  )

export const moveToProject = (project_id: string, name: string): TaskCommand =>
  patchCommand((targets) => projectViewMessages.moved(targets, name), { project_id })

/** Completes tasks that may belong to different projects. */
export const completeAll = ({ projects }: Boot): TaskCommand => ({
  label: projectViewMessages.completed,
  changeFor(task) {
    const done = getCompletedStatus(projects.find(({ id }) => id === task.project_id))
    return done === undefined ? undefined : completeOrPatch(task, done)
  },
})

export const deleteTasks = ({
  undeletable,
}: Pick<ProjectPageContext, 'undeletable'>): TaskCommand => ({
  label: projectViewMessages.deleted,
  changeFor: (task) => (undeletable(task) ? undefined : { kind: 'delete', patch: {} }),
})
