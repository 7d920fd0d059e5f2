import type { Boot } from '../../data/boot.ts'
import { completing, type Task, type TaskPatch } from '../../data/task-view.ts'
import { formatDay } from '../../lib/day.ts'
import { formatDuration } from '../../lib/duration.ts'
import { m } from '../../messages/tasks.ts'
import type { Act } from './act.tsx'
import type { Screen } from './screen.ts'

const patching = (label: Act['label'], patch: TaskPatch): Act => ({
  label,
  meant: (task) => (changes(task, patch) ? { kind: 'patch', patch } : undefined),
})

/** Whether a patch makes any difference; deltas of sets are always sent. */
const changes = (task: Task, patch: TaskPatch): boolean =>
  Object.entries(patch).some(([name, value]) => task[name as keyof Task] !== value)

export function setStatus({ project }: Pick<Screen, 'project'>, key: string): Act {
  const status = project.statuses.find((one) => one.key === key)
  const label = (what: string) => m.moved(what, status?.name ?? key)
  // Completing is an operation of its own where it leads to the same: it may begin the next of a series.
  return key === completing(project)
    ? { label, meant: (task) => complete(task, key) }
    : patching(label, { status: key })
}

const complete = (task: Task, status: string) =>
  task.status === status
    ? undefined
    : task.status_category === 'completed'
      ? ({ kind: 'patch', patch: { status } } as const)
      : ({ kind: 'complete', patch: { status } } as const)

/** Completes what is open; reopens what is not, where that is so of all. */
export function toggleDone({ project }: Screen, task: Task): Act | undefined {
  const done = completing(project)
  if (task.status_category !== 'completed') {
    return done ? { label: m.completed, meant: (one) => complete(one, done) } : undefined
  }
  const of = (category: string) => project.statuses.find((one) => one.category === category)
  const open = of('unstarted') ?? of('backlog') ?? of('started')
  return open && patching(m.reopened, { status: open.key })
}

export const setPriority = (priority: Task['priority']): Act =>
  patching((what) => m.prioritySet(what, m.priorities[priority]), { priority })

export const setPeople = (added: string[], removed: string[]): Act =>
  patching(m.peopleSet, {
    ...(added.length > 0 && { add_assignee_ids: added }),
    ...(removed.length > 0 && { remove_assignee_ids: removed }),
  })

export const setTags = (added: string[], removed: string[]): Act =>
  patching(m.tagsSet, {
    ...(added.length > 0 && { add_tag_ids: added }),
    ...(removed.length > 0 && { remove_tag_ids: removed }),
  })

export const setDue = (date: string | null, at: string | null): Act => ({
  label: (what) => m.dueSet(what, date === null ? m.noDue : formatDay(date)),
  meant: () => ({
    kind: 'patch',
    patch: at === null ? { due_date: date } : { due_date: date, due_at: at },
  }),
})

export const setEstimate = (estimate_seconds: number | null): Act =>
  patching(
    (what) =>
      m.estimateSet(what, estimate_seconds === null ? m.noDue : formatDuration(estimate_seconds)),
    { estimate_seconds },
  )

export const moveToProject = (project_id: string, name: string): Act =>
  patching((what) => m.moved(what, name), { project_id })

/** Completes tasks of whatever projects. */
export const completeAll = ({ projects }: Boot): Act => ({
  label: m.completed,
  meant(task) {
    const done = completing(projects.find(({ id }) => id === task.project_id))
    return done === undefined ? undefined : complete(task, done)
  },
})

export const remove = ({ undeletable }: Pick<Screen, 'undeletable'>): Act => ({
  label: m.deleted,
  meant: (task) => (undeletable(task) ? undefined : { kind: 'delete', patch: {} }),
})
