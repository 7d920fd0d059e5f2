import { useEffect, useSyncExternalStore } from 'react'
import { NetworkError } from '../../lib/http/problem.ts'
import { markStale } from '../../lib/http/reply-cache.ts'
import type { ScopeMode } from '../../replica/local-replica.ts'
import { readProjectCopy } from './project-copies.ts'
import { projectScope } from './project-tasks.ts'
import { subscribeToScopes, taskReplica } from './task-replica.ts'
import { hasTasks, subscribeToTasks } from './task-store.ts'

/** The tasks of the projects that were opened last stay in memory. */
const MAX_HELD_PROJECTS = 3

/** The held projects, the one that was opened last at the end. */
let heldIds: readonly string[] = []
/** Another session begins anew (`task-replica.ts`). */
let heldIn = taskReplica.history

/** Holds all tasks of a project from now on: as the browser has stored them at once, then exactly. */
export function holdProject(project_id: string): void {
  if (heldIn !== taskReplica.history) heldIds = []
  heldIn = taskReplica.history
  const isHeld = heldIds.includes(project_id)
  const ids = [...heldIds.filter((id) => id !== project_id), project_id]
  heldIds = ids.slice(-MAX_HELD_PROJECTS)
  for (const id of ids) if (!heldIds.includes(id)) taskReplica.release(id)
  if (!isHeld) void beginHolding(project_id)
}

async function beginHolding(project_id: string): Promise<void> {
  const copy = await readProjectCopy(project_id).catch(() => undefined)
  if (!heldIds.includes(project_id)) return
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
  const isHeld = state !== undefined
  useEffect(() => {
    // Another session, or a restored backup, begins anew while the page is open.
    if (project_id !== undefined && !isHeld) holdProject(project_id)
  }, [project_id, isHeld])
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
