import type { Task } from '#resources/tasks/fields.ts'
import type { ProjectIndexResult } from '../cache/project-index.ts'
import { queryClient, refetchLists, refetchSoon } from '../cache/query-client.ts'
import { forgetLocalChange } from '../tasks/local-changes.ts'
import { hasPendingChanges, putTasks } from '../tasks/task-store.ts'
import { isFeedFollowed } from './live-state.ts'
import { refetchTaskQueries } from './refetch-task-queries.ts'
import { requestIndexRefetch, savedChanges } from './saved-changes.ts'
import { isUserBusy, whenUserIdle } from './user-activity.ts'

/** Changes that wait because rows must not move while the person interacts. */
let waiting: (() => void)[] = []

/** A task before and after a change on the server; `task` is undefined if it was deleted. */
export interface TaskTransition {
  id: string
  before: Task | undefined
  task: Task | undefined
  project_id: string
}

interface RecordedTransition extends TaskTransition {
  /** Whether this page has made the change. */
  isOwn: boolean
}

/**
 * Lets the lists on the screen follow a change that the server has acknowledged to this page. While
 * the feed is followed, they place the task by its record like one that others have changed, and
 * only what the record does not tell is read; otherwise they are read anew.
 */
export function recordOwnChange(transition: TaskTransition): void {
  const { id, before, task } = transition
  if (isFeedFollowed.get()) {
    recordSavedChange({ ...transition, isOwn: true })
    refetchTaskQueries(id, before, task, refetchSoon)
  } else {
    refetchLists()
    refetchSoon(['activity', id])
  }
}

/** Records a change, so that lists that were fetched before place the task by its record. */
export function recordSavedChange(transition: RecordedTransition): void {
  const at = Date.now()
  if (!isUserBusy()) {
    recordChange(transition, at)
    return
  }
  if (waiting.length === 0) whenUserIdle(recordWaiting)
  waiting.push(() => recordChange(transition, at))
}

function recordWaiting(): void {
  for (const record of waiting) record()
  waiting = []
  // Announces a change of the store, at which lists place their tasks.
  putTasks([])
}

function recordChange(
  { id, before, task, project_id, isOwn }: RecordedTransition,
  at: number,
): void {
  if (!hasPendingChanges(id)) forgetLocalChange(id)
  // A moved task leaves one project and comes to another one.
  const places = new Map(
    [before, task].flatMap((one) => (one ? [[one.project_id, one.number]] : [])),
  )
  for (const [project, number] of places) {
    const since = oldestIndex(project)
    if (since === undefined) continue
    const key = `${project}#${number}`
    const steps = (savedChanges.get(key)?.steps ?? []).filter((one) => one.at >= since)
    const previousTask = before?.project_id === project ? before : undefined
    savedChanges.set(key, {
      id,
      number,
      project_id: project,
      isOwn,
      steps: [...steps, { at, previousTask }],
    })
  }
  if (places.size === 0) requestIndexRefetch(['index', project_id])
  if (savedChanges.size > MAX_CHANGES) forgetOldChanges()
}

/** Lists look at each change whenever a task changes. */
const MAX_CHANGES = 500

function forgetOldChanges(): void {
  const projects = new Set<string>()
  for (const [key, { project_id, steps }] of savedChanges) {
    const since = oldestIndex(project_id) ?? Number.POSITIVE_INFINITY
    if (steps.some(({ at }) => at >= since)) projects.add(project_id)
    else savedChanges.delete(key)
  }
  if (savedChanges.size <= MAX_CHANGES) return
  for (const project_id of projects) requestIndexRefetch(['index', project_id])
}

/** Whether a list of a project is on the screen. */
export const isProjectShown = (project_id: string): boolean =>
  queryClient.getQueryCache().findAll({ queryKey: ['index', project_id], type: 'active' }).length >
  0

/** When the oldest index of a project was requested (ms); one that is opened again is shown at once. */
function oldestIndex(project_id: string): number | undefined {
  const queries = queryClient.getQueryCache().findAll({ queryKey: ['index', project_id] })
  if (queries.length === 0) return undefined
  return Math.min(
    ...queries.map(({ state }) => (state.data as ProjectIndexResult | undefined)?.requestedAt ?? 0),
  )
}
