import { useEffect, useSyncExternalStore } from 'react'
import type { ReplicaScope, ScopeMode } from '../../replica/local-replica.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import { listProjectIds } from '../mutations/stored-mutation.ts'
import { holdWithCopy } from '../session/page-replica.ts'
import { OPEN_TASKS_SCOPE, projectScope } from './load-tasks.ts'
import type { Task } from './task-patch.ts'
import { subscribeToScopes, taskReplica } from './task-replica.ts'
import { hasTasks, subscribeToTasks } from './task-store.ts'
import { readTasksCopy } from './tasks-copy.ts'

/** The tasks of the projects that were opened last stay in memory. */
const MAX_HELD_PROJECTS = 3

/** The one that was opened last is at the end. */
let openedIds: readonly string[] = []
/** The scopes whose stored copy is being read. */
const beginning = new Set<string>()

/** Holds all tasks of a project from now on: as the browser has stored them at once, then exactly. */
export function holdProject(project_id: string): void {
  const ids = [...openedIds.filter((id) => id !== project_id), project_id]
  openedIds = ids.slice(-MAX_HELD_PROJECTS)
  releaseUnneeded()
  beginHolding(projectScope(project_id))
}

/** Holds the open tasks of all projects from now on, as long as the page is open. */
const holdOpenTasks = (): void => beginHolding(OPEN_TASKS_SCOPE)

const isHeld = (scope: string): boolean => taskReplica.getScopeState(scope) !== undefined

/** Releases all projects but those that were opened last and those that unsent mutations are about. */
function releaseUnneeded(): void {
  const earlierIds = [...taskReplica.scopeNames].filter(isUnopened)
  if (earlierIds.length === 0) return
  const changedIds = new Set(mutationQueue.get().flatMap(({ payload }) => listProjectIds(payload)))
  for (const id of earlierIds) if (!changedIds.has(id)) taskReplica.release(id)
}

const isUnopened = (scope: string): boolean =>
  scope !== OPEN_TASKS_SCOPE.name && !openedIds.includes(scope)

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

function beginHolding(scope: ReplicaScope<Task>): void {
  if (!isHeld(scope.name) && !beginning.has(scope.name)) void holdFromCopy(scope)
}

async function holdFromCopy(scope: ReplicaScope<Task>): Promise<void> {
  const { name } = scope
  beginning.add(name)
  const copy = await readTasksCopy(name).catch(() => undefined)
  beginning.delete(name)
  if (isUnopened(name)) return
  holdWithCopy(taskReplica, scope, copy, subscribeToScopes)
}

/** How much of a scope is here. */
interface HeldTasks {
  mode: ScopeMode
  /** Whether all of its tasks are here, perhaps old ones. */
  isWhole: boolean
  /** Whether the tasks that are here can be shown already. */
  isShowable: boolean
  /** Why the last attempt to load it has failed, as long as tasks are missing. */
  error: unknown
}

/** Holds the tasks of a project, if there is one, and says how much of them is here. */
export const useHeldProject = (project_id: string | undefined): HeldTasks =>
  useHeldTasks(project_id, holdProject)

/** Holds the tasks of a project, or without one the open tasks of all projects. */
export const useHeldProjectOrOpen = (project_id: string | undefined): HeldTasks =>
  useHeldTasks(project_id ?? OPEN_TASKS_SCOPE.name, project_id ? holdProject : holdOpenTasks)

function useHeldTasks(scope: string | undefined, hold: (scope: string) => void): HeldTasks {
  const state = useSyncExternalStore(subscribeToScopes, () =>
    taskReplica.getScopeState(scope ?? ''),
  )
  const isHeldNow = state !== undefined
  useEffect(() => {
    // Another session, or a restored backup, begins anew while the page is open.
    if (scope !== undefined && !isHeldNow) hold(scope)
  }, [scope, isHeldNow, hold])
  const { mode = 'loading', n, error } = state ?? {}
  // It has a number as soon as it is loaded, or there is a copy.
  const isWhole = n !== undefined
  const project_id = scope === OPEN_TASKS_SCOPE.name ? undefined : scope
  const hasMany = useSyncExternalStore(
    subscribeToTasks,
    () => !isWhole && hasTasks(project_id, SHOWABLE_TASKS),
  )
  return { mode, isWhole, isShowable: isWhole || hasMany, error: isWhole ? undefined : error }
}

/** From so many tasks on, a list is shown while the others are loading. */
const SHOWABLE_TASKS = 500

/** Loads a project, or the open tasks of all, at once if that waits for its next attempt. */
export const retryTasks = (project_id: string | undefined): void =>
  taskReplica.retry(project_id ?? OPEN_TASKS_SCOPE.name)
