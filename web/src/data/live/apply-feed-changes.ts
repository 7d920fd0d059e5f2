import { replaceEqualDeep } from '@tanstack/react-query'
import type { Project } from '#resources/projects/contract.ts'
import type { StreamBatch } from '../../replica/local-replica.ts'
import { followHeldRecords } from '../resources/held-records.ts'
import { bootState, scheduleBootReload, updateBoot } from '../session/boot.ts'
import { toTaskChanges } from '../tasks/load-tasks.ts'
import { isSameValue, type Task } from '../tasks/task-patch.ts'
import { taskReplica } from '../tasks/task-replica.ts'
import {
  getCachedTask,
  getServerTask,
  hasPendingChanges,
  showTasksOf,
  touchTask,
} from '../tasks/task-store.ts'
import { refetchStaleData } from './apply-live-event.ts'
import { parsePosition } from './feed-position.ts'
import { followTaskChange } from './follow-task-change.ts'
import type { FeedChange, FollowedType } from './live-message.ts'
import { refetchDeletedNotifications } from './refetch-notifications.ts'

/** Counts of a project change with each of its tasks, and everything on the screen shows projects. */
const COUNTS_INTERVAL_MS = 2_000

/**
 * Applies steps of the feed of changes. A task or project that they repeat changes nothing and asks
 * nothing. What the server derives from other records is read again where it is shown, also after a change of
 * this page: once more than needed, for a step does not say who made it.
 */
export function applyFeedChanges(
  changes: readonly FeedChange[],
  position: string,
  previous: string | undefined,
): void {
  const { history, n } = parsePosition(position)
  const after = previous === undefined ? n : parsePosition(previous).n
  applyTasks({ history, after, n, changes: toTaskChanges(changes) })
  followHeldRecords({ history, after, n, changes })
  for (const change of changes) {
    if (change.op === 'reset') scheduleBootReload()
    else if (change.type === 'project') {
      if (change.op === 'put') applyProject(change.record)
      else scheduleBootReload()
    } else if (change.type !== 'task') applyDerived(change)
  }
}

/**
 * Follows changes of tasks. One that the page does not hold, and did not before, is only passed on to
 * the lists that the server makes.
 */
function applyTasks({ history, after, n, changes }: StreamBatch<Task>): void {
  const ids = new Set(
    changes.flatMap((change) =>
      change.op === 'put' ? change.record.id : change.op === 'delete' ? change.id : [],
    ),
  )
  const shown = new Map([...ids].map((id) => [id, getCachedTask(id)]))
  const known = new Set([...ids].filter((id) => getServerTask(id)))
  taskReplica.follow({ history, after, n, changes })
  for (const change of changes) {
    if (change.op === 'put' && !known.has(change.record.id))
      followTaskChange(change.record.id, undefined, change.record)
    else if (change.op === 'delete' && !known.has(change.id))
      followTaskChange(change.id, undefined, undefined)
  }
  // What this page has changed itself looks as before.
  for (const [id, before] of shown)
    if (before && getCachedTask(id)?.version !== before.version && !hasPendingChanges(id))
      touchTask(id)
}

/** The latest records of projects that are applied together. */
const changedProjects = new Map<string, Project>()

function applyProject(project: Project): void {
  const known = bootState.get()?.projects.find(({ id }) => id === project.id)
  // A new project, or one that the person sees from now on.
  if (!known) {
    scheduleBootReload()
    return
  }
  if (changedProjects.size === 0) setTimeout(applyProjects, COUNTS_INTERVAL_MS)
  changedProjects.set(project.id, project)
  const hasOnlyOtherCounts = isSameValue(
    { ...known, task_counts: 0 },
    { ...project, task_counts: 0 },
  )
  if (!hasOnlyOtherCounts) applyProjects()
}

function applyProjects(): void {
  if (changedProjects.size === 0) return
  updateBoot((boot) => {
    const projects = boot.projects.map((project) => changedProjects.get(project.id) ?? project)
    return replaceEqualDeep(boot, { ...boot, projects })
  })
  changedProjects.clear()
}

/** The projects by which the tasks are shown. */
const shownProjects = new Map<string, Project>()

function followProjects(): void {
  for (const project of bootState.get()?.projects ?? []) {
    const { prefix, statuses } = shownProjects.get(project.id) ?? project
    shownProjects.set(project.id, project)
    if (prefix !== project.prefix || !isSameValue(statuses, project.statuses))
      showTasksOf(project.id)
  }
}

bootState.subscribe(followProjects)
followProjects()

function applyDerived(change: Extract<FeedChange, { type: FollowedType }>): void {
  const { op, type: noun, id, project_id } = change
  // The person may have deleted a comment that has notified them.
  if (noun === 'comment' && op === 'delete') refetchDeletedNotifications()
  refetchStaleData({
    noun,
    id,
    project_id,
    task_id: op === 'put' && 'task_id' in change.record ? change.record.task_id : undefined,
  })
}
