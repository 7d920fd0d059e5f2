import type { Task } from '#resources/tasks/fields.ts'
import type { ProjectIndexResult } from '../cache/project-index.ts'
import { queryClient } from '../cache/query-client.ts'
import { putTasks } from '../tasks/task-store.ts'
import { isUserBusy, whenUserIdle } from './user-activity.ts'

/** A task that somebody else has changed since a list was fetched. */
export interface OthersChange {
  id: string
  number: number
  project_id: string
  /** The task as that list has it; undefined if it is new, or the page did not know it. */
  previousTask: Task | undefined
}

interface ChangeSteps {
  id: string
  number: number
  project_id: string
  /** The task before each change, and when that arrived (ms). */
  steps: { at: number; previousTask: Task | undefined }[]
}

const changes = new Map<string, ChangeSteps>()
/** Changes that wait because rows must not move while the person interacts. */
let waiting: (() => void)[] = []

/** The tasks of a project that others have changed since a moment. */
export const othersChangesSince = (project_id: string, at: number): OthersChange[] =>
  [...changes.values()].flatMap(({ steps, ...change }) => {
    const step = steps.find((one) => one.at >= at)
    return step && change.project_id === project_id
      ? { ...change, previousTask: step.previousTask }
      : []
  })

/** A task before and after a change; `task` is undefined if it was deleted. */
export interface TaskTransition {
  id: string
  before: Task | undefined
  task: Task | undefined
  project_id: string
}

/** Records a change, so that lists that were fetched before place the task by its record. */
export function recordOthersChange(transition: TaskTransition): void {
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

function recordChange({ id, before, task, project_id }: TaskTransition, at: number): void {
  // A moved task leaves one project and comes to another one.
  const places = new Map(
    [before, task].flatMap((one) => (one ? [[one.project_id, one.number]] : [])),
  )
  for (const [project, number] of places) {
    const since = oldestActiveIndex(project)
    if (since === undefined) continue
    const key = `${project}#${number}`
    const steps = (changes.get(key)?.steps ?? []).filter((one) => one.at >= since)
    const previousTask = before?.project_id === project ? before : undefined
    changes.set(key, { id, number, project_id: project, steps: [...steps, { at, previousTask }] })
  }
  if (places.size === 0) requestIndexRefetch(['index', project_id])
  if (changes.size > MAX_CHANGES) forgetOldChanges()
}

/** Lists look at each change whenever a task changes. */
const MAX_CHANGES = 500

function forgetOldChanges(): void {
  const projects = new Set<string>()
  for (const [key, { project_id, steps }] of changes) {
    const since = oldestActiveIndex(project_id) ?? Number.POSITIVE_INFINITY
    if (steps.some(({ at }) => at >= since)) projects.add(project_id)
    else changes.delete(key)
  }
  if (changes.size <= MAX_CHANGES) return
  for (const project_id of projects) requestIndexRefetch(['index', project_id])
}

/** Whether a list of a project is on the screen. */
export const isProjectShown = (project_id: string): boolean =>
  oldestActiveIndex(project_id) !== undefined

/** When the oldest index of a project that is on the screen was requested (ms). */
function oldestActiveIndex(project_id: string): number | undefined {
  const queries = queryClient
    .getQueryCache()
    .findAll({ queryKey: ['index', project_id], type: 'active' })
  if (queries.length === 0) return undefined
  return Math.min(
    ...queries.map(({ state }) => (state.data as ProjectIndexResult | undefined)?.requestedAt ?? 0),
  )
}

/** Nobody sees at once that a row beyond the loaded ones is at another place. */
const MIN_INDEX_INTERVAL_MS = 10_000
const REFETCH_DELAY_MS = 250
const requestedKeys = new Map<string, readonly unknown[]>()
let isScheduled = false
let lastRefetchAt = 0

/** Refetches indexes that could not be completed from records, once the page is visible. */
export function requestIndexRefetch(queryKey: readonly unknown[]): void {
  requestedKeys.set(JSON.stringify(queryKey), queryKey)
  if (isScheduled) return
  isScheduled = true
  const dueAt = lastRefetchAt + MIN_INDEX_INTERVAL_MS
  setTimeout(refetchIndexes, Math.max(REFETCH_DELAY_MS, dueAt - Date.now()))
}

function refetchIndexes(): void {
  if (document.visibilityState === 'hidden') {
    document.addEventListener('visibilitychange', refetchIndexes, { once: true })
    return
  }
  isScheduled = false
  lastRefetchAt = Date.now()
  const keys = [...requestedKeys.values()]
  requestedKeys.clear()
  for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey })
}
