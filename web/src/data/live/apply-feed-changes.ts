import type { Project } from '#resources/projects/contract.ts'
import type { StreamBatch } from '../../replica/local-replica.ts'
import { refetchSoon } from '../cache/query-client.ts'
import { followHeldRecords } from '../resources/held-records.ts'
import { bootState } from '../session/boot.ts'
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
import { parsePosition } from './feed-position.ts'
import { followBoot } from './follow-boot.ts'
import { followTaskChange } from './follow-task-change.ts'
import type { FeedChange } from './live-message.ts'

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
  followBoot({ history, n, changes })
  for (const change of changes) refetchDerived(change)
}

/** Reads again what the server derives from comments and files, of which the page may know no task. */
function refetchDerived(change: FeedChange): void {
  if (change.type !== 'comment' && change.type !== 'attachment') return
  refetchSoon(change.op === 'put' ? ['activity', change.record.task_id] : ['activity'])
  if (change.type === 'comment') refetchSoon(['search'])
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
