import type { Project } from '#resources/projects/contract.ts'
import { completing, type Task } from '../../data/task-view.ts'
import { changeTask, completeTasks } from '../../data/task-writes.ts'
import { m } from '../../messages/task.ts'
import type { PickProps } from '../../ui/pick.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { Glyph } from '../../ui/status-mark.tsx'

/** The name of a task's status in its project. */
export const statusName = (task: Task, project: Project | undefined): string =>
  project?.statuses.find(({ key }) => key === task.status)?.name ?? task.status

export const isFinished = ({ status_category }: Task): boolean =>
  status_category === 'completed' || status_category === 'canceled'

/** What a picker of a task's status offers and does. */
export const pickStatus = (task: Task, project: Project | undefined): PickProps => ({
  options: (project?.statuses ?? []).map(({ key, name, category }) => ({
    id: key,
    label: name,
    mark: (
      <span className="st" data-s={stampOf(project?.statuses, key, category)}>
        <Glyph mark={stampOf(project?.statuses, key, category)} />
      </span>
    ),
  })),
  picked: [task.status],
  onPick([status]) {
    const name = project?.statuses.find(({ key }) => key === status)?.name
    if (!status || !name || status === task.status) return
    changeTask(task.id, { status }, { label: m.statusSet(task.short_id, name), from: task })
  },
})

/** Completes a task, or takes a completed one up again: in the first status that is to be done. */
export function toggleComplete(task: Task, project: Project | undefined): void {
  const { id, short_id } = task
  if (task.status_category !== 'completed') {
    const status = completing(project)
    if (status) completeTasks(id, status, { label: m.completed(short_id) })
    return
  }
  const open = project?.statuses.find(({ category }) => category === 'unstarted')
  const status = open ?? project?.statuses.find(({ category }) => category !== 'completed')
  if (status) changeTask(id, { status: status.key }, { label: m.reopened(short_id) })
}
