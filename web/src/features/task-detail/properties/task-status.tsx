import type { Project } from '#resources/projects/contract.ts'
import { changeTask, completeTaskAs } from '../../../data/tasks/change-task.ts'
import { getCompletedStatus, type Task } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { StatusGlyph } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import type { PickerConfig } from '../../../ui/overlays/picker-button.tsx'

/** Creates the picker of a task's status. */
export const createStatusPicker = (task: Task, project: Project | undefined): PickerConfig => ({
  options: (project?.statuses ?? []).map(({ key, name, category }) => ({
    id: key,
    label: name,
    mark: (
      <span className="st" data-s={getStatusMark(project?.statuses, key, category)}>
        <StatusGlyph mark={getStatusMark(project?.statuses, key, category)} />
      </span>
    ),
  })),
  picked: [task.status],
  onPick([status]) {
    const name = project?.statuses.find(({ key }) => key === status)?.name
    if (!status || !name || status === task.status) return
    changeTask(
      task.id,
      { status },
      { label: projectViewMessages.moved(task.short_id, name), from: task },
    )
  },
})

/** Completes a task, or reopens a completed one in the project's first open status. */
export function toggleTaskCompleted(task: Task, project: Project | undefined): void {
  const { id, short_id } = task
  if (task.status_category !== 'completed') {
    const status = getCompletedStatus(project)
    if (status) completeTaskAs(id, status, { label: projectViewMessages.completed(short_id) })
    return
  }
  const unstarted = project?.statuses.find(({ category }) => category === 'unstarted')
  const status = unstarted ?? project?.statuses.find(({ category }) => category !== 'completed')
  if (status)
    changeTask(id, { status: status.key }, { label: projectViewMessages.reopened(short_id) })
}
