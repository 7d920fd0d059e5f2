import { replaceEqualDeep } from '@tanstack/react-query'
import type { Project } from '#resources/projects/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { cacheTaskRows } from '../cache/task-rows.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import { bootState, scheduleBootReload, updateBoot } from '../session/boot.ts'
import { localChangesSince } from '../tasks/local-changes.ts'
import { setReadListener } from '../tasks/put-read-tasks.ts'
import { recountOverdue } from '../tasks/recount-overdue.ts'
import { admitMovedTask } from '../tasks/removed-tasks.ts'
import { isSameValue } from '../tasks/task-patch.ts'
import { getServerTask, putTasks, removeCachedTask, subscribeToTasks } from '../tasks/task-store.ts'
import { refetchStaleData } from './apply-live-event.ts'
import { awaitsReply } from './awaits-reply.ts'
import type { FeedChange } from './live-message.ts'
import { markChange } from './live-state.ts'
import { findNoticeTime, wasNoticed } from './noticed-records.ts'
import { isIndexReadSince, isProjectShown, recordSettledChange } from './record-settled-change.ts'
import { refetchTaskQueries } from './refetch-task-queries.ts'
import { requestIndexRefetch } from './settled-changes.ts'

/** Notices tell of comments and the like, too, and who wrote them; one may still be on its way. */
const NOTICE_DELAY_MS = 2_000
/** Counts of a project change with each of its tasks, and everything on the screen shows projects. */
const COUNTS_INTERVAL_MS = 2_000
/** How long a change of this page explains that its task is gone. */
const OWN_CHANGE_TTL_MS = 60_000

/** Applies steps of the feed of changes. Whatever they repeat changes nothing and asks nothing. */
export function applyFeedChanges(changes: readonly FeedChange[]): void {
  const lastOfRecord = new Map(changes.map((change) => [change.id, change]))
  for (const change of changes) {
    if (change.op === 'reset') scheduleBootReload()
    else if (change.type === 'task') {
      // The feed tells of a moved task that it has left its project, and after that where it is.
      if (lastOfRecord.get(change.id) === change) applyTask(toToldTask(change))
    } else if (change.type === 'project') {
      if (change.op === 'put') applyProject(change.record)
      else scheduleBootReload()
    } else applyUnlessNoticed(change)
  }
}

interface ToldTask {
  id: string
  /** Undefined if it is deleted. */
  task: Task | undefined
  project_id: string
  noticedAt?: number | undefined
}

const toToldTask = (change: Extract<FeedChange, { type: 'task' }>): ToldTask =>
  change.op === 'put'
    ? {
        id: change.id,
        task: change.record,
        project_id: change.record.project_id,
        noticedAt: change.noticedAt,
      }
    : { id: change.id, task: undefined, project_id: change.project_id ?? '' }

/** Changes of tasks that wait until this page has no write of them under way. */
const heldTasks = new Map<string, ToldTask>()
let stopWatching: (() => void) | undefined

function applyTask(change: ToldTask): void {
  const { id, task } = change
  const before = getServerTask(id)
  if (awaitsReply(id) || (task && !before && mayBeCreatedHere(task))) {
    heldTasks.set(id, change)
    stopWatching ??= watchReplies()
    return
  }
  if (task) admitMovedTask(id)
  if (isKnown(id, task, before)) {
    if (before) cacheTaskRows([before])
    return
  }
  followChange(change, before)
  if (!task) removeCachedTask(id, { isMaybeMoved: true })
  else if (before || isProjectShown(task.project_id)) {
    putTasks([task], { byOthers: true })
    cacheTaskRows([task])
  }
}

setReadListener((before, task) => {
  const { id, version, project_id } = task
  followChange({ id, task, project_id, noticedAt: findNoticeTime(id, version) }, before)
})

/** An index may have a change that was noticed so shortly after it was requested. */
const DOUBTFUL_MS = 2_000

/** Makes lists and counts follow a change. */
function followChange(told: ToldTask, before: Task | undefined): void {
  // What is computed, such as the time spent, changes without another version, whose notice is old then.
  const isSameVersion = before !== undefined && before.version === told.task?.version
  const change = isSameVersion ? { ...told, noticedAt: undefined } : told
  const { id, task, project_id, noticedAt = Date.now() } = change
  markChange()
  recordSettledChange({ ...change, before })
  if (isIndexReadSince(project_id, noticedAt - DOUBTFUL_MS, noticedAt))
    requestIndexRefetch(['index', project_id])
  refetchTaskQueries(id, before, task)
  recountOverdue(id, before ?? (task?.version === 1 ? 'new' : undefined), task)
}

/** Whether the page has the record, e.g. because it has made the change itself. */
function isKnown(id: string, task: Task | undefined, before: Task | undefined): boolean {
  if (task)
    return before !== undefined && (before.version > task.version || isSameValue(before, task))
  if (before) return false
  return localChangesSince(Date.now() - OWN_CHANGE_TTL_MS, () => false).some((one) => one.id === id)
}

/** Whether the page is creating tasks, one of which this may be. */
const mayBeCreatedHere = ({ created_by_id }: Task): boolean =>
  created_by_id === bootState.get()?.session.user.id &&
  mutationQueue
    .get()
    .some(
      ({ payload: { kind }, state }) =>
        state === 'sending' && (kind === 'create' || kind === 'create-many'),
    )

/** A refusal changes the queue, but not the task. */
function watchReplies(): () => void {
  const stops = [subscribeToTasks, mutationQueue.subscribe].map((subscribe) =>
    subscribe(releaseHeldTasks),
  )
  return () => {
    for (const stop of stops) stop()
  }
}

function releaseHeldTasks(): void {
  const held = [...heldTasks.values()]
  heldTasks.clear()
  for (const change of held) applyTask(change)
  if (heldTasks.size > 0) return
  stopWatching?.()
  stopWatching = undefined
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
  // They are groups and columns, also the empty ones, and the index has them in their order.
  if (!isSameValue(known.statuses, project.statuses)) requestIndexRefetch(['index', project.id])
}

function applyProjects(): void {
  if (changedProjects.size === 0) return
  updateBoot((boot) => {
    const projects = boot.projects.map((project) => changedProjects.get(project.id) ?? project)
    return replaceEqualDeep(boot, { ...boot, projects })
  })
  changedProjects.clear()
}

function applyUnlessNoticed(
  change: Exclude<FeedChange, { op: 'reset' } | { type: 'task' | 'project' }>,
): void {
  const { op, type, id, project_id } = change
  setTimeout(() => {
    if (wasNoticed(id)) return
    const task_id = change.op === 'put' ? change.record.task_id : undefined
    refetchStaleData({
      noun: type,
      id,
      operation_id: '',
      actor_id: null,
      op: op === 'delete' ? 'delete' : 'update',
      project_id: project_id ?? null,
      ...(task_id !== undefined && { task_id }),
    })
  }, NOTICE_DELAY_MS)
}
