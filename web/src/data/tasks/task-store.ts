import { useCallback, useSyncExternalStore } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { atom } from '../../lib/state/atom.ts'
import {
  getPlaceholders,
  getTaskChanges,
  type StoredMutation,
} from '../mutations/stored-mutation.ts'
import {
  applyChanges,
  getStatusCategory,
  isTaskFinished,
  type Task,
  type TaskChange,
  type TaskConflict,
} from './task-patch.ts'

/** One task: the server's record, and with the pending changes. Every change makes another object. */
interface TaskEntry {
  base: Task
  view: Task | undefined
  conflict: TaskConflict | undefined
  /**
   * When somebody else changed it last (ms since 1970), or 0 if not since the page was opened; lists
   * underline such tasks for a while.
   */
  touchedAt: number
}

/** What this page knows of a task beside the server's record and the pending changes. */
type LocalState = Pick<TaskEntry, 'conflict' | 'touchedAt'>
const NO_LOCAL_STATE: LocalState = { conflict: undefined, touchedAt: 0 }

const entries = new Map<string, TaskEntry>()
const localStates = new Map<string, LocalState>()
/** The mutations that the server has not acknowledged, in the order in which they were made. */
let unsent: readonly StoredMutation[] = []
/** The changes of each task in `unsent`. */
let pendingChanges: ReadonlyMap<string, readonly TaskChange[]> = new Map()
/** The tasks in `unsent` that the server has not created yet, by temporary ids. */
let placeholders: ReadonlyMap<string, Task> = new Map()
/** Also of tasks that are deleted, moved or released: their numbers may still be undone or selected. */
const idsByNumber = new Map<string, Map<number, string>>()
const listeners = new Map<string, Set<() => void>>()
const anyTaskListeners = new Set<(ids: ReadonlySet<string>) => void>()
let projects: ProjectLookup = { byId: () => undefined, byPrefix: () => undefined }
let getRecord: (id: string) => Task | undefined = () => undefined
let revision = 0

interface ProjectLookup {
  byId(id: string): Project | undefined
  byPrefix(prefix: string): Project | undefined
}

/** Injects the lookup of projects, whose statuses pending changes need. Called once. */
export function setProjectLookup(lookup: ProjectLookup): void {
  projects = lookup
}

/** Injects the server's records (`task-replica.ts`). Called once. */
export function setTaskRecords(get: (id: string) => Task | undefined): void {
  getRecord = get
}

/** Shows the present records of tasks. */
export function showRecords(ids: Iterable<string>): void {
  for (const id of ids) refresh(id)
}

/** Shows the tasks of a project by its present prefix and statuses. */
export const showTasksOf = (project_id: string): void =>
  showRecords([...(idsByNumber.get(project_id)?.values() ?? [])])

/** Shows what the mutations that the server has not acknowledged make of the tasks. */
export function showUnsent(payloads: readonly StoredMutation[]): void {
  if (payloads.length === unsent.length && payloads.every((one, at) => one === unsent[at])) return
  unsent = payloads
  derivePending()
}

function derivePending(): void {
  const changes = Map.groupBy(unsent.flatMap(getTaskChanges), ({ from }) => getRealId(from.id))
  const waiting = unsent.flatMap(getPlaceholders).filter(({ id }) => !realIds.has(id))
  const created = new Map(waiting.map((task) => [task.id, task]))
  const before = { pendingChanges, placeholders }
  pendingChanges = changes
  placeholders = created
  const ids = [before.pendingChanges, changes, before.placeholders, created].flatMap((all) => [
    ...all.keys(),
  ])
  for (const id of new Set(ids)) {
    const known = before.pendingChanges.get(id) ?? []
    const now = changes.get(id) ?? []
    const isSame = now.length === known.length && now.every((one, at) => one === known[at])
    if (!isSame || created.get(id) !== before.placeholders.get(id)) refresh(id)
  }
}

/** Sets the conflict of a task; undefined once it is resolved. */
export function setTaskConflict(id: string, conflict: TaskConflict | undefined): void {
  setLocalState(id, { conflict })
}

/** Records that somebody else has changed a task. */
export const touchTask = (id: string): void => setLocalState(id, { touchedAt: Date.now() })

function setLocalState(id: string, change: Partial<LocalState>): void {
  const state = { ...(localStates.get(id) ?? NO_LOCAL_STATE), ...change }
  if (!state.conflict && state.touchedAt === 0) localStates.delete(id)
  else localStates.set(id, state)
  refresh(id)
}

/** Puts the task that the server has created in place of its placeholder, with its pending changes. */
export function resolveTempId(tempId: string, id: string): void {
  realIds.set(tempId, id)
  createdIds.add(id)
  derivePending()
}

/** Whether this page has created the task, or changes it at present. */
export const isOwnTask = (id: string): boolean =>
  isTempId(id) || createdIds.has(id) || hasPendingChanges(id)

/** The tasks that this page has created. */
const createdIds = new Set<string>()
/** The server's ids of created tasks, by the temporary ids of their placeholders. */
const realIds = new Map<string, string>()
/** The server's id for a temporary id; any other id is returned as it is. */
export const getRealId = (id: string): string => realIds.get(id) ?? id
/** Whether this is the temporary id of a task that is being created. */
export const isTempId = (id: string): boolean => !id.startsWith('tsk_')

/** Whether the server has not acknowledged a change or the creation of a task. */
export const hasPendingChanges = (id: string): boolean =>
  getPendingChanges(id).length > 0 || placeholders.has(id)

/** Whether something shows a task, or it has changes that are not sent. */
export const isTaskNeeded = (id: string): boolean => listeners.has(id) || hasPendingChanges(id)

/**
 * A task as the server last returned it, without local changes. Undefined says only that the page
 * does not hold it: `readServerTask` finds out whether it exists.
 */
export const getServerTask = (id: string): Task | undefined => entries.get(id)?.base
/** A task with its pending local changes applied. */
export const getCachedTask = (id: string): Task | undefined => entries.get(id)?.view
/** The local changes of a task that the server has not acknowledged. */
export const getPendingChanges = (id: string): readonly TaskChange[] => pendingChanges.get(id) ?? []
/** The unresolved conflict of a task with somebody else's change. */
export const getTaskConflict = (id: string): TaskConflict | undefined =>
  localStates.get(id)?.conflict
/** The id of a task by project and number. */
export const findTaskIdByNumber = (project_id: string, number: number): string | undefined =>
  idsByNumber.get(project_id)?.get(number)
/** Whether so many tasks of a project, or of all, are here. */
export function hasTasks(project_id: string | undefined, count: number): boolean {
  if (project_id === undefined) return entries.size >= count
  let found = 0
  for (const id of idsByNumber.get(project_id)?.values() ?? []) {
    if (entries.has(id)) found += 1
    if (found === count) return true
  }
  return false
}
/** The id of a task by its present short id (`ENG-42`), in either case. */
export function findTaskIdByShortId(short_id: string): string | undefined {
  const [, prefix = '', number = ''] = /^(.+)-(\d+)$/.exec(short_id) ?? []
  const project = projects.byPrefix(prefix)
  return project && findTaskIdByNumber(project.id, Number(number))
}
/** Whether a task waits for another one that is open, or that the page does not hold. */
export const isTaskBlocked = (task: Pick<Task, 'status_category' | 'blocked_by_ids'>): boolean =>
  task.blocked_by_ids.length > 0 &&
  !isTaskFinished(task) &&
  task.blocked_by_ids.some((id) => {
    const blocker = getCachedTask(id)
    return !blocker || !isTaskFinished(blocker)
  })

/** The stored subtasks of a task. */
export const getCachedSubtasks = (parent_id: string): Task[] =>
  getCachedTasks().filter((task) => task.parent_id === parent_id)
/** All stored tasks with their pending changes applied. */
export const getCachedTasks = (): Task[] => [...entries.values()].flatMap(({ view }) => view ?? [])
/** How many of them a condition holds for. */
export function countTasks(condition: (task: Task) => boolean): number {
  let count = 0
  for (const { view } of entries.values()) if (view && condition(view)) count += 1
  return count
}
/** A task with its pending changes applied; undefined if it is not loaded or is deleted. */
export const useTask = (id: string | undefined): Task | undefined =>
  useSyncExternalStore(
    (listener) => listen(id ?? '', listener),
    () => (id ? getCachedTask(id) : undefined),
  )

/** Whether the server has not acknowledged a change or the creation of a task. */
export const useHasPendingChanges = (id: string | undefined): boolean =>
  useSyncExternalStore(
    (listener) => listen(id ?? '', listener),
    () => id !== undefined && hasPendingChanges(id),
  )

/** The conflict of a task, which a banner tells of until the person has chosen. */
export const useTaskConflict = (id: string): TaskConflict | undefined =>
  useSyncExternalStore(
    (listener) => listen(id, listener),
    () => getTaskConflict(id),
  )

/**
 * All that a row of a list shows of a task, by one subscription: a list that scrolls makes and ends
 * some of them in each frame.
 */
export const useStoredTask = (id: string): TaskEntry | undefined =>
  useSyncExternalStore(
    useCallback((listener) => listen(id, listener), [id]),
    () => entries.get(id),
  )

/** A revision that grows with each change of any task. */
export const useTasksRevision = (): number =>
  useSyncExternalStore(subscribeToTasks, getTasksRevision)

/**
 * Calls back with the ids of the tasks that have changed, once per microtask. Returns an unsubscribe
 * function.
 */
export function subscribeToTasks(listener: (ids: ReadonlySet<string>) => void): () => void {
  anyTaskListeners.add(listener)
  return () => anyTaskListeners.delete(listener)
}
/** A number that grows with every change of any task. */
export const getTasksRevision = (): number => revision

/** Combines what the server has told of a task with what this page knows. */
function refresh(id: string): void {
  const placeholder = placeholders.get(id)
  const record = placeholder ?? getRecord(id)
  const state = localStates.get(id) ?? NO_LOCAL_STATE
  if (!record) entries.delete(id)
  else {
    const changes = getPendingChanges(id)
    const project = projects.byId(record.project_id)
    const base = placeholder || !project ? record : withProject(record, project)
    const view = changes.length === 0 ? base : applyChanges(base, changes, project)
    entries.set(id, { ...state, base, view })
    noteCustomFields(view)
    const numbers = idsByNumber.get(base.project_id) ?? new Map()
    idsByNumber.set(base.project_id, numbers.set(base.number, id))
  }
  for (const listener of [...(listeners.get(id) ?? [])]) listener()
  notifyAny(id)
}

/** The names of the custom fields of all tasks that the page has held. */
export const customFieldNames = atom<readonly string[]>([])

function noteCustomFields(task: Task | undefined): void {
  const known = customFieldNames.get()
  const names = Object.keys(task?.custom_fields ?? {}).filter((name) => !known.includes(name))
  if (names.length > 0) customFieldNames.set([...known, ...names].toSorted())
}

/** A new prefix or status of a project changes how its tasks are shown, but none of them. */
function withProject(task: Task, project: Project): Task {
  const short_id = `${project.prefix}-${task.number}`
  const status_category = getStatusCategory(project, task.status) ?? task.status_category
  return short_id === task.short_id && status_category === task.status_category
    ? task
    : { ...task, short_id, status_category }
}

/** Keeps tasks needed that are shown without a listener of their own. Returns what ends it. */
export function needTasks(ids: readonly string[]): () => void {
  const stops = ids.map((id) => listen(id, () => undefined))
  return () => {
    for (const stop of stops) stop()
  }
}

function listen(id: string, listener: () => void): () => void {
  const all = listeners.get(id) ?? new Set()
  listeners.set(id, all.add(listener))
  return () => {
    all.delete(listener)
    if (all.size === 0 && listeners.get(id) === all) listeners.delete(id)
  }
}

let changedIds: Set<string> | undefined
/** Notifies once per microtask, however many tasks a reply contains. */
function notifyAny(id: string): void {
  revision += 1
  if (changedIds) {
    changedIds.add(id)
    return
  }
  changedIds = new Set([id])
  queueMicrotask(() => {
    const ids = changedIds ?? new Set()
    changedIds = undefined
    for (const listener of [...anyTaskListeners]) listener(ids)
  })
}
