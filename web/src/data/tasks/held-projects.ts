import { useEffect, useSyncExternalStore } from 'react'
import { NetworkError } from '../../lib/http/problem.ts'
import { markStale } from '../../lib/http/reply-cache.ts'
import type { ScopeMode } from '../../replica/local-replica.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import { listProjectIds } from '../mutations/stored-mutation.ts'
import { readProjectCopy } from './project-copies.ts'
import { projectScope } from './project-tasks.ts'
import { subscribeToScopes, taskReplica } from './task-replica.ts'
import { hasTasks, subscribeToTasks } from './task-store.ts'

/** The tasks of the projects that were opened last stay in memory. */
const MAX_HELD_PROJECTS = 3

/** The one that was opened last is at the end. */
let openedIds: readonly string[] = []
/** Those whose stored copy is being read. */
const beginningIds = new Set<string>()

/** Holds all tasks of a project from now on: as the browser has stored them at once, then exactly. */
export function holdProject(project_id: string): void {
  const ids = [...openedIds.filter((id) => id !== project_id), project_id]
  openedIds = ids.slice(-MAX_HELD_PROJECTS)
  releaseUnneeded()
  if (!isHeld(project_id) && !beginningIds.has(project_id)) void beginHolding(project_id)
}

const isHeld = (project_id: string): boolean => taskReplica.getScopeState(project_id) !== undefined

/** Releases all projects but those that were opened last and those that unsent mutations are about. */
function releaseUnneeded(): void {
  const earlierIds = [...taskReplica.scopeNames].filter((name) => !openedIds.includes(name))
  if (earlierIds.length === 0) return
  const changedIds = new Set(mutationQueue.get().flatMap(({ payload }) => listProjectIds(payload)))
  for (const id of earlierIds) if (!changedIds.has(id)) taskReplica.release(id)
}

// One that is acknowledged, refused or discarded needs its project no more.
mutationQueue.subscribe(releaseUnneeded)

/**
 * Resolves once all tasks of a project are here, or the server has said that the person may not see
 * it. It is held at least as long as the unsent mutations are about it.
 */
export async function holdWholeProject(project_id: string): Promise<void> {
  if (!isHeld(project_id)) taskReplica.hold(projectScope(project_id))
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => {
    if (taskReplica.getScopeState(project_id)?.mode !== 'loading') resolve()
  }
  const stop = subscribeToScopes(check)
  check()
  await promise
  stop()
}

async function beginHolding(project_id: string): Promise<void> {
  beginningIds.add(project_id)
  const copy = await readProjectCopy(project_id).catch(() => undefined)
  beginningIds.delete(project_id)
  if (!openedIds.includes(project_id)) return
  taskReplica.hold(projectScope(project_id), copy)
  if (!copy) return
  // Without an answer the page says how old it is.
  const stop = subscribeToScopes(() => {
    const { mode, error } = taskReplica.getScopeState(project_id) ?? {}
    if (mode !== 'loading') stop()
    else if (error instanceof NetworkError) markStale(copy.at)
  })
}

/** How much of a project is here. */
export interface HeldProject {
  mode: ScopeMode
  /** Whether all of its tasks are here, perhaps old ones. */
  isWhole: boolean
  /** Whether the tasks that are here can be shown already. */
  isShowable: boolean
  /** Why the last attempt to load it has failed, as long as tasks are missing. */
  error: unknown
}

/** Holds a project, if there is one, and says how much of it is here. */
export function useHeldProject(project_id: string | undefined): HeldProject {
  const state = useSyncExternalStore(subscribeToScopes, () =>
    taskReplica.getScopeState(project_id ?? ''),
  )
  const isHeldNow = state !== undefined
  useEffect(() => {
    // Another session, or a restored backup, begins anew while the page is open.
    if (project_id !== undefined && !isHeldNow) holdProject(project_id)
  }, [project_id, isHeldNow])
  const { mode = 'loading', n, error } = state ?? {}
  // It has a number as soon as it is loaded, or there is a copy.
  const isWhole = n !== undefined
  const hasMany = useSyncExternalStore(
    subscribeToTasks,
    () => !isWhole && hasTasks(project_id ?? '', SHOWABLE_TASKS),
  )
  return { mode, isWhole, isShowable: isWhole || hasMany, error: isWhole ? undefined : error }
}

/** From so many tasks on, a list is shown while the others are loading. */
const SHOWABLE_TASKS = 500

/** Loads a project at once if it waits for its next attempt. */
export const retryProject = (project_id: string): void => taskReplica.retry(project_id)
