import type { Task } from '#resources/tasks/fields.ts'
import { queryClient } from '../cache/query-client.ts'
import { getCachedTask } from '../tasks/task-store.ts'
import type { ChangeStep } from './change-steps.ts'

/** A task that somebody else has changed since a list was fetched. */
export interface OthersChange {
  id: string
  number: number
  project_id: string
  /** The task as that list has it; undefined if it is new, or the page did not know it. */
  previousTask: Task | undefined
  /** The task by which the list places it: while the person interacts, as it was before. */
  task: Task | undefined
}

interface ChangeSteps extends Pick<OthersChange, 'id' | 'number' | 'project_id'> {
  /** The changes at which a list may look, in their order. */
  steps: readonly ChangeStep[]
}

/** By project and number. */
export const othersChanges = new Map<string, ChangeSteps>()

/** Since when changes wait, because rows must not move while the person interacts (ms). */
let heldSince: number | undefined
export const getHeldSince = (): number | undefined => heldSince
export const setHeldSince = (at: number | undefined): void => {
  heldSince = at
}

/** The tasks of a project that others have changed since a moment, apart from changes that wait. */
export function othersChangesSince(project_id: string, at: number): OthersChange[] {
  const until = heldSince ?? Number.POSITIVE_INFINITY
  return [...othersChanges.values()].flatMap(({ steps, ...change }) => {
    const first = steps.find((one) => one.at >= at)
    if (!first || first.at >= until || change.project_id !== project_id) return []
    const held = steps.find((one) => one.at >= until)
    const task = held ? held.previousTask : getCachedTask(change.id)
    return { ...change, previousTask: first.previousTask, task }
  })
}

/** The search strings of the indexes whose screens place changed tasks themselves, and how often. */
const selfPlacing = new Map<string, number>()

/** Declares that a list places changed tasks itself; returns a function that ends it. */
export function declareSelfPlacing(project_id: string, search: string): () => void {
  const query = `${project_id}?${search}`
  selfPlacing.set(query, (selfPlacing.get(query) ?? 0) + 1)
  return () => {
    selfPlacing.set(query, (selfPlacing.get(query) ?? 1) - 1)
  }
}

/** Whether a list on the screen places changed tasks itself. */
export const isSelfPlacing = (project_id: unknown, search: unknown): boolean =>
  (selfPlacing.get(`${project_id}?${search}`) ?? 0) > 0

/** Nobody sees at once that a row beyond the loaded ones is at another place. */
const MIN_INDEX_INTERVAL_MS = 10_000
const REFETCH_DELAY_MS = 250
const requestedKeys = new Map<string, readonly unknown[]>()
let isScheduled = false
/** On the clock of `performance.now()`, which nobody sets back. */
let lastRefetchAt = Number.NEGATIVE_INFINITY

/** Refetches indexes that could not be completed from records, once the page is visible. */
export function requestIndexRefetch(queryKey: readonly unknown[]): void {
  requestedKeys.set(JSON.stringify(queryKey), queryKey)
  if (isScheduled) return
  isScheduled = true
  const dueAt = lastRefetchAt + MIN_INDEX_INTERVAL_MS
  setTimeout(refetchIndexes, Math.max(REFETCH_DELAY_MS, dueAt - performance.now()))
}

function refetchIndexes(): void {
  if (document.visibilityState === 'hidden') {
    document.addEventListener('visibilitychange', refetchIndexes, { once: true })
    return
  }
  isScheduled = false
  lastRefetchAt = performance.now()
  const keys = [...requestedKeys.values()]
  requestedKeys.clear()
  for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey })
}
