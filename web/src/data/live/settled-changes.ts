import type { Task } from '#resources/tasks/fields.ts'
import { isRetryable } from '../../lib/http/problem.ts'
import type { ProjectIndex } from '../cache/project-index.ts'
import { queryClient } from '../cache/query-client.ts'
import { findTaskIdByNumber, getCachedTask } from '../tasks/task-store.ts'
import type { ChangeStep } from './change-steps.ts'

/** A task that the server has changed since a list was fetched, for this page or for others. */
export interface SettledChange {
  id: string
  number: number
  project_id: string
  /** The task as that list has it; undefined if it is new, or the page did not know it. */
  previousTask: Task | undefined
  /**
   * The task by which the list places it. What others change while the person interacts does not
   * count yet.
   */
  task: Task | undefined
  /** Whether this page has made one of the changes. */
  isOwn: boolean
}

interface ChangeSteps extends Pick<SettledChange, 'id' | 'number' | 'project_id'> {
  /** The changes at which a list may look, in their order. */
  steps: readonly ChangeStep[]
}

/** By project and number. */
export const settledChanges = new Map<string, ChangeSteps>()

/** Since when changes of others wait, because rows must not move while the person interacts (ms). */
let heldSince: number | undefined
export const getHeldSince = (): number | undefined => heldSince
export const setHeldSince = (at: number | undefined): void => {
  heldSince = at
}

/** The first change of a task that waits. */
const findHeldStep = (steps: readonly ChangeStep[]): ChangeStep | undefined =>
  steps.find(({ at, isImmediate }) => at >= (heldSince ?? Number.POSITIVE_INFINITY) && !isImmediate)

/** A loaded task as lists show it: without changes that wait. */
export function getShownTask(project_id: string, number: number): Task | undefined {
  const held = findHeldStep(settledChanges.get(`${project_id}#${number}`)?.steps ?? [])
  return held?.previousTask ?? getCachedTask(findTaskIdByNumber(project_id, number) ?? '')
}

/** The tasks of a project that the server has changed since a moment, apart from changes that wait. */
export function settledChangesSince(project_id: string, at: number): SettledChange[] {
  return [...settledChanges.values()].flatMap(({ steps, ...change }) => {
    const first = steps.find((one) => one.at >= at)
    const held = findHeldStep(steps)
    if (!first || first === held || change.project_id !== project_id) return []
    const task = held ? held.previousTask : getCachedTask(change.id)
    const isOwn = steps.some((one) => one.at >= at && one.isImmediate)
    return { ...change, previousTask: first.previousTask, task, isOwn }
  })
}

/** A list on the screen that places changed tasks itself. */
export interface SelfPlacingList {
  project_id: string
  search: string
  /** The index as it is shown; undefined while it has unsaved changes. */
  readIndex?: () => ProjectIndex | undefined
}

export const selfPlacingLists = new Set<SelfPlacingList>()

/** Declares that a list places changed tasks itself; returns a function that ends it. */
export function declareSelfPlacing(list: SelfPlacingList): () => void {
  selfPlacingLists.add(list)
  return () => void selfPlacingLists.delete(list)
}

/** Whether a list on the screen places changed tasks itself. */
export const isSelfPlacing = (project_id: unknown, search: unknown): boolean =>
  [...selfPlacingLists].some((list) => list.project_id === project_id && list.search === search)

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
  for (const queryKey of keys) void refetchIndex(queryKey)
}

async function refetchIndex(queryKey: readonly unknown[]): Promise<void> {
  await queryClient.invalidateQueries({ queryKey })
  // The list goes on showing the former index, so nobody else would ask again.
  const hasFailed = queryClient
    .getQueryCache()
    .findAll({ queryKey, type: 'active' })
    .some(({ state }) => state.status === 'error' && isRetryable(state.error))
  if (hasFailed) requestIndexRefetch(queryKey)
}
