import { replaceEqualDeep } from '@tanstack/react-query'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { forgetOldLocalChanges, recordLocalChange, touchLocalChange } from './local-changes.ts'
import { isRemoved, type Removal, rememberRemoval } from './removed-tasks.ts'
import { applyChanges, type Task, type TaskChange, type TaskConflict } from './task-patch.ts'

/**
 * One task: the server's version, the pending local changes, and both combined. Every change makes
 * another object.
 */
export interface TaskEntry {
  base: Task
  changes: readonly TaskChange[]
  view: Task | undefined
  conflict: TaskConflict | undefined
  /**
   * When somebody else changed it last (ms since 1970), or 0 if not since the page was opened; lists
   * underline such tasks for a while.
   */
  touchedAt: number
}

const entries = new Map<string, TaskEntry>()
const idsByName = new Map<string, string>()
const listeners = new Map<string, Set<() => void>>()
const anyTaskListeners = new Set<() => void>()
let projectOf: (id: string) => Project | undefined = () => undefined
let revision = 0
let loads = 0

const numberKey = (project_id: string, number: number) => `${project_id}#${number}`

/** Injects the lookup of projects, whose statuses pending changes need. Called once. */
export function setProjectLookup(find: (id: string) => Project | undefined): void {
  projectOf = find
}

/**
 * Stores tasks from the server; a version older than the stored one is ignored. A task that is read
 * again without a change stays the same object, so that its row is not rendered again.
 */
export function putTasks(tasks: readonly Task[], { byOthers = false } = {}): void {
  for (const task of tasks) {
    const entry = entries.get(task.id)
    if (entry && entry.base.version > task.version) continue
    if (isRemoved(task)) continue
    const base = replaceEqualDeep(entry?.base, task)
    if (entry && base === entry.base) continue
    if (!entry) loads += 1
    const differs = entry && entry.base.version < task.version
    set(task.id, {
      base,
      changes: entry?.changes ?? [],
      conflict: entry?.conflict,
      touchedAt: byOthers && differs ? Date.now() : (entry?.touchedAt ?? 0),
    })
    idsByName.set(numberKey(task.project_id, task.number), task.id)
    idsByName.set(task.short_id, task.id)
  }
  if (entries.size > MAX_STORED_TASKS) evictIfFull()
  notifyAny()
}

const MAX_STORED_TASKS = 30_000

/** Evicts tasks that are not mounted and have no pending changes; they are refetched on demand. */
function evictIfFull(): void {
  for (const [id, { changes }] of entries) {
    if (entries.size <= MAX_STORED_TASKS / 2) break
    if (!isTaskMounted(id) && changes.length === 0) entries.delete(id)
  }
  for (const [name, id] of idsByName) if (!entries.has(id)) idsByName.delete(name)
}

/** Adds pending changes to a task, or removes them. */
export function updatePendingChanges(
  id: string,
  make: (changes: readonly TaskChange[]) => readonly TaskChange[],
) {
  const entry = entries.get(id)
  if (!entry) return
  const changes = make(entry.changes)
  if (changes.length > entry.changes.length) {
    recordLocalChange(entry.base, entry.changes, changes.at(-1))
    forgetOldLocalChanges(hasPendingChanges)
  } else touchLocalChange(id)
  set(id, { ...entry, changes })
  notifyAny()
}

/** Sets the conflict of a task; undefined once it is resolved. */
export function setTaskConflict(id: string, conflict: TaskConflict | undefined): void {
  const entry = entries.get(id)
  if (!entry) return
  set(id, { ...entry, conflict })
}

/** Removes a deleted task; `rememberRemoval` tells what keeps it away. */
export function removeCachedTask(id: string, removal: Removal = {}): void {
  const entry = entries.get(id)
  rememberRemoval(id, entry ? { ...removal, version: entry.base.version } : removal)
  entries.delete(id)
  touchLocalChange(id)
  notifyTask(id)
  notifyAny()
}

/** Replaces a placeholder by the created task, to which its pending changes are moved. */
export function resolveTempId(placeholder: string, task: Task): void {
  const changes = getPendingChanges(placeholder)
  recordLocalChange(task)
  putTasks([task])
  if (changes.length > 0) updatePendingChanges(task.id, (earlier) => [...earlier, ...changes])
  realIds.set(placeholder, task.id)
  removeCachedTask(placeholder)
}

/** The server's ids of created tasks, by the temporary ids of their placeholders. */
const realIds = new Map<string, string>()
/** The server's id for a temporary id; any other id is returned as it is. */
export const getRealId = (id: string): string => realIds.get(id) ?? id
/** Whether this is the temporary id of a task that is being created. */
export const isTempId = (id: string): boolean => !id.startsWith('tsk_')

/** Whether the server has not acknowledged a change or the creation of a task. */
export const hasPendingChanges = (id: string): boolean =>
  getPendingChanges(id).length > 0 || (isTempId(id) && entries.has(id))

/** Evicts those of the tasks that are not mounted and have no pending changes. */
export function evictUnshownTasks(ids: Iterable<string>): void {
  for (const id of [...ids]) {
    const entry = entries.get(id)
    if (entry && !hasPendingChanges(id) && !isTaskMounted(id)) entries.delete(id)
  }
}

/** A task as the server last returned it, without local changes. */
export const getServerTask = (id: string): Task | undefined => entries.get(id)?.base
/** A task with its pending local changes applied. */
export const getCachedTask = (id: string): Task | undefined => entries.get(id)?.view
/** The local changes of a task that the server has not acknowledged. */
export const getPendingChanges = (id: string): readonly TaskChange[] =>
  entries.get(id)?.changes ?? []
/** The unresolved conflict of a task with somebody else's change. */
export const getTaskConflict = (id: string): TaskConflict | undefined => entries.get(id)?.conflict
/** The id of a task by project and number. */
export const findTaskIdByNumber = (project_id: string, number: number) =>
  idsByName.get(numberKey(project_id, number))
/** The id of a task by its short id (`ENG-42`), in either case. */
export const findTaskIdByShortId = (short_id: string): string | undefined =>
  idsByName.get(short_id.toUpperCase())
/** The ids of all stored tasks. */
export const cachedTaskIds = (): IterableIterator<string> => entries.keys()
/** The stored subtasks of a task. */
export function getCachedSubtasks(parent_id: string): Task[] {
  const subtasks: Task[] = []
  for (const { view } of entries.values()) if (view?.parent_id === parent_id) subtasks.push(view)
  return subtasks
}
/** All stored tasks with their pending changes applied. */
export const getCachedTasks = (): Task[] => [...entries.values()].flatMap(({ view }) => view ?? [])
/** Whether a mounted component uses the task; a list uses all its tasks (`useListedTasks`). */
export const isTaskMounted = (id: string): boolean =>
  (listeners.get(id)?.size ?? 0) > 0 || [...mountedLists].some((ids) => ids.has(id))

/** A task with its pending changes applied; undefined if it is not loaded or is deleted. */
export const useTask = (id: string | undefined): Task | undefined =>
  useSyncExternalStore(
    (listener) => listen(id ?? '', listener),
    () => (id ? getCachedTask(id) : undefined),
  )

/**
 * Keeps the tasks of a list that renders only the rows near the viewport: without this, a notice
 * about a task would evict it, and it would vanish from the list.
 */
export function useListedTasks(ids: readonly string[]): void {
  useEffect(() => {
    const listed = new Set(ids)
    mountedLists.add(listed)
    return () => void mountedLists.delete(listed)
  }, [ids])
}

/** The ids of the tasks of each mounted list that renders only some of its rows. */
const mountedLists = new Set<ReadonlySet<string>>()

/** Whether the server has not acknowledged a change or the creation of a task. */
export const useHasPendingChanges = (id: string | undefined): boolean =>
  useSyncExternalStore(
    (listener) => listen(id ?? '', listener),
    () => id !== undefined && hasPendingChanges(id),
  )

/** The conflict of a task. While a component uses it, the conflict counts as shown. */
export const useTaskConflict = (id: string): TaskConflict | undefined =>
  useSyncExternalStore(
    (listener) => listenAsConflictViewer(id, listener),
    () => getTaskConflict(id),
  )

/**
 * All that a row of a list shows of a task, by one subscription: a list that scrolls makes and ends
 * some of them in each frame. Its conflict counts as shown.
 */
export const useStoredTask = (id: string): TaskEntry | undefined =>
  useSyncExternalStore(
    useCallback((listener) => listenAsConflictViewer(id, listener), [id]),
    () => entries.get(id),
  )

function listenAsConflictViewer(id: string, listener: () => void): () => void {
  const stop = listen(id, listener)
  conflictViewers.set(id, (conflictViewers.get(id) ?? 0) + 1)
  return () => {
    stop()
    conflictViewers.set(id, (conflictViewers.get(id) ?? 1) - 1)
  }
}

/** How many mounted components would show a conflict of each task. */
const conflictViewers = new Map<string, number>()
/** Whether a conflict of a task is visible, because its panel or page is open. */
export const isConflictShown = (id: string): boolean => (conflictViewers.get(id) ?? 0) > 0

/** A revision that grows with each change of any task; lists use it to place tasks anew. */
export const useTasksRevision = (): number =>
  useSyncExternalStore(subscribeToTasks, getTasksRevision)

/** Calls back after changes of any task, once per microtask. Returns an unsubscribe function. */
export function subscribeToTasks(listener: () => void): () => void {
  anyTaskListeners.add(listener)
  return () => anyTaskListeners.delete(listener)
}
/** A number that grows with every change of any task. */
export const getTasksRevision = (): number => revision
/** A number that grows with every task that is stored and was not before. */
export const getTaskLoads = (): number => loads

function set(id: string, entry: Omit<TaskEntry, 'view'>): void {
  const { base, changes } = entry
  const view = changes.length === 0 ? base : applyChanges(base, changes, projectOf(base.project_id))
  entries.set(id, { ...entry, view })
  notifyTask(id)
}

function listen(id: string, listener: () => void): () => void {
  const all = listeners.get(id) ?? new Set()
  listeners.set(id, all.add(listener))
  return () => {
    all.delete(listener)
    if (all.size === 0 && listeners.get(id) === all) listeners.delete(id)
  }
}

const notifyTask = (id: string) => {
  for (const listener of [...(listeners.get(id) ?? [])]) listener()
}

let isNotifyScheduled = false
/** Notifies once per microtask, however many tasks a reply contains. */
function notifyAny(): void {
  revision += 1
  if (isNotifyScheduled) return
  isNotifyScheduled = true
  queueMicrotask(() => {
    isNotifyScheduled = false
    for (const listener of [...anyTaskListeners]) listener()
  })
}
