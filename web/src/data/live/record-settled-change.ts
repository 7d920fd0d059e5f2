import type { Task } from '#resources/tasks/fields.ts'
import type { ProjectIndexResult } from '../cache/project-index.ts'
import { queryClient } from '../cache/query-client.ts'
import { putTasks } from '../tasks/task-store.ts'
import { type ChangeStep, pickNeededSteps, type ShownIndexes } from './change-steps.ts'
import {
  getHeldSince,
  requestIndexRefetch,
  setHeldSince,
  settledChanges,
} from './settled-changes.ts'
import { isUserBusy, whenUserIdle } from './user-activity.ts'

/** A task before and after a change; `task` is undefined if it was deleted. */
interface TaskTransition {
  id: string
  before: Task | undefined
  task: Task | undefined
  project_id: string
  /** Whether this page has made the change. */
  isOwn?: boolean
  /** When a notice about the change came (ms). */
  noticedAt?: number | undefined
}

/** Records a change, so that lists that were fetched before place the task by its record. */
export function recordSettledChange({
  id,
  before,
  task,
  project_id,
  isOwn = false,
  noticedAt,
}: TaskTransition): void {
  const now = Date.now()
  if (!isOwn && getHeldSince() === undefined && isUserBusy()) {
    setHeldSince(now)
    whenUserIdle(showHeldChanges)
  }
  // A change that waits must not be older than the moment since when changes wait.
  const at = Math.max(getHeldSince() ?? 0, Math.min(noticedAt ?? now, now))
  // A moved task leaves one project and comes to another one.
  const places = new Map(
    [before, task].flatMap((one) => (one ? [[one.project_id, one.number]] : [])),
  )
  for (const [project, number] of places) {
    const previousTask = before?.project_id === project ? before : undefined
    recordStep({ id, number, project_id: project }, { at, previousTask, isImmediate: isOwn })
  }
  if (places.size === 0) requestIndexRefetch(['index', project_id])
}

function showHeldChanges(): void {
  setHeldSince(undefined)
  placeTasksAnew()
}

/** Announces a change of the store, at which lists place their tasks. */
export const placeTasksAnew = (): void => putTasks([])

/** Lists look at each change whenever any task changes. What exceeds this waits for another index. */
const MAX_CHANGES = 500
/** A task may change often while an index is requested. */
const MAX_STEPS = 20

function recordStep(task: Pick<Task, 'id' | 'number' | 'project_id'>, step: ChangeStep): void {
  const { project_id, number } = task
  const indexes = findShownIndexes(project_id)
  if (indexes.requestedAt.length === 0) return
  const key = `${project_id}#${number}`
  const known = settledChanges.get(key)
  if (!known && settledChanges.size >= MAX_CHANGES) forgetUnneededChanges()
  const earlier = (known?.steps ?? []).map((one) =>
    step.isImmediate ? { ...one, isImmediate: true } : one,
  )
  const steps = pickNeededSteps([...earlier, step], indexes, getHeldSince())
  const isFull = known ? steps.length > MAX_STEPS : settledChanges.size >= MAX_CHANGES
  if (isFull) requestIndexRefetch(['index', project_id])
  else settledChanges.set(key, { ...task, steps })
}

function forgetUnneededChanges(): void {
  const indexes = new Map<string, ShownIndexes>()
  for (const [key, { project_id, steps }] of settledChanges) {
    const shown = indexes.get(project_id) ?? findShownIndexes(project_id)
    indexes.set(project_id, shown)
    if (pickNeededSteps(steps, shown, getHeldSince()).length === 0) settledChanges.delete(key)
  }
}

/** Whether an index of a project that is on the screen was requested since a moment, and before another (ms). */
export function isIndexReadSince(
  project_id: string,
  since: number,
  before = Number.POSITIVE_INFINITY,
): boolean {
  const { requestedAt, isLoading } = findShownIndexes(project_id)
  return isLoading || requestedAt.some((at) => at >= since && at < before)
}

/** Whether a list of a project is on the screen. */
export const isProjectShown = (project_id: string): boolean =>
  findShownIndexes(project_id).requestedAt.length > 0

function findShownIndexes(project_id: string): ShownIndexes {
  const queries = queryClient
    .getQueryCache()
    .findAll({ queryKey: ['index', project_id], type: 'active' })
  return {
    requestedAt: queries.map(
      ({ state }) => (state.data as ProjectIndexResult | undefined)?.requestedAt ?? 0,
    ),
    isLoading: queries.some(({ state }) => state.fetchStatus === 'fetching'),
  }
}
