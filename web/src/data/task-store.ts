import { useSyncExternalStore } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { noteLocal, touchLocal } from './local-changes.ts'
import { type Change, shown, type Task } from './task-view.ts'

/** One task: what the server has, what waits, and what is on the screen. */
interface Entry {
  base: Task
  changes: readonly Change[]
  view: Task | undefined
  conflict: Conflict | undefined
  /** When others changed it last (ms), for the underline. */
  touchedAt: number
}

/** Somebody else changed the same field: mine stays on the screen until one is chosen. */
export interface Conflict {
  change: Change
  theirs: Task
  fields: readonly (keyof Task)[]
}

const entries = new Map<string, Entry>()
const ids = new Map<string, string>()
const listeners = new Map<string, Set<() => void>>()
const anyListeners = new Set<() => void>()
let projectOf: (id: string) => Project | undefined = () => undefined
let revision = 0

const numberKey = (project_id: string, number: number) => `${project_id}#${number}`

/** The store is told once where projects are found: views need their statuses. */
export function knowProjects(find: (id: string) => Project | undefined): void {
  projectOf = find
}

/** Takes tasks as the server has them; an older version than the one known is left aside. */
export function putTasks(tasks: readonly Task[], { byOthers = false } = {}): void {
  for (const task of tasks) {
    const known = entries.get(task.id)
    if (known && known.base.version > task.version) continue
    if (isDropped(task)) continue
    const differs = known && known.base.version < task.version
    set(task.id, {
      base: task,
      changes: known?.changes ?? [],
      conflict: known?.conflict,
      touchedAt: byOthers && differs ? Date.now() : (known?.touchedAt ?? 0),
    })
    ids.set(numberKey(task.project_id, task.number), task.id)
    ids.set(task.short_id, task.id)
  }
  if (entries.size > MOST) forgetUnseen()
  tellAny()
}

const MOST = 30_000

/** What nothing shows and nothing waits for is read again when it is wanted. */
function forgetUnseen(): void {
  for (const [id, { changes }] of entries) {
    if (entries.size <= MOST / 2) break
    if (!isMounted(id) && changes.length === 0) entries.delete(id)
  }
  for (const [name, id] of ids) if (!entries.has(id)) ids.delete(name)
  for (const [id, { until }] of dropped) if (until < Date.now()) dropped.delete(id)
}

/** Puts a change on top of a task, or takes it off. */
export function setChanges(id: string, make: (changes: readonly Change[]) => readonly Change[]) {
  const known = entries.get(id)
  if (!known) return
  const changes = make(known.changes)
  if (changes.length > known.changes.length) noteLocal(known.base, known.changes, changes.at(-1))
  else touchLocal(id)
  set(id, { ...known, changes })
  tellAny()
}

/** Tells of a conflict about a task, or that it was decided. */
export function setConflict(id: string, conflict: Conflict | undefined): void {
  const known = entries.get(id)
  if (!known) return
  set(id, { ...known, conflict })
}

/** The server has it no longer; a read that is still on its way does not bring it back. */
export function dropTask(id: string): void {
  const known = entries.get(id)
  if (known) dropped.set(id, { version: known.base.version, until: Date.now() + READING_MS })
  entries.delete(id)
  touchLocal(id)
  tell(id)
  tellAny()
}

/** Longer than any read takes. */
const READING_MS = 10_000
const dropped = new Map<string, { version: number; until: number }>()

/** Whether a task is as it was before it was dropped; one that was restored has another version. */
function isDropped({ id, version }: Task): boolean {
  const found = dropped.get(id)
  if (!found) return false
  if (version <= found.version && Date.now() < found.until) return true
  dropped.delete(id)
  return false
}

/** Replaces a placeholder by the task that was made for it; what was changed of it meanwhile goes over. */
export function adopt(placeholder: string, task: Task): void {
  const changes = changesOf(placeholder)
  noteLocal(task)
  putTasks([task])
  if (changes.length > 0) setChanges(task.id, (known) => [...known, ...changes])
  adopted.set(placeholder, task.id)
  dropTask(placeholder)
}

/** What placeholders have become. */
const adopted = new Map<string, string>()
/** The id that the server gave to a task that was made here; any other id is itself. */
export const realIdOf = (id: string): string => adopted.get(id) ?? id
/** Whether it stands for a task that the server has given no id yet. */
export const isPlaceholder = (id: string): boolean => !id.startsWith('tsk_')

/** Whether the server has still to hear of it: a change, or that it was made. A list that is read meanwhile lacks it. */
export const isWaiting = (id: string): boolean =>
  changesOf(id).length > 0 || (isPlaceholder(id) && entries.has(id))

/** Forgets tasks that nothing shows and nothing waits for: they are read anew when they are needed. */
export function forgetUnshown(ids: Iterable<string>): void {
  for (const id of [...ids]) {
    const known = entries.get(id)
    if (known && !isWaiting(id) && !isMounted(id)) entries.delete(id)
  }
}

/** A task as the server has it. */
export const baseOf = (id: string): Task | undefined => entries.get(id)?.base
/** A task as it is to be shown. */
export const taskOf = (id: string): Task | undefined => entries.get(id)?.view
/** The changes of it that the server has not acknowledged. */
export const changesOf = (id: string): readonly Change[] => entries.get(id)?.changes ?? []
/** What somebody else has changed in it at the same time, until it is decided. */
export const conflictOf = (id: string): Conflict | undefined => entries.get(id)?.conflict
/** When another person last changed it, in ms since 1970; 0: not since the page was opened. */
export const touchedAt = (id: string): number => entries.get(id)?.touchedAt ?? 0
/** By project and number, or by short id (`ENG-42`). */
export const idOfNumber = (project_id: string, number: number) =>
  ids.get(numberKey(project_id, number))
/** The id of a task by its short id, in whatever case. */
export const idOfShort = (short_id: string): string | undefined => ids.get(short_id.toUpperCase())
/** The ids of all tasks that the page knows. */
export const knownIds = (): IterableIterator<string> => entries.keys()
/** The tasks that are known to be under another. */
export function tasksUnder(parent_id: string): Task[] {
  const found: Task[] = []
  for (const { view } of entries.values()) if (view?.parent_id === parent_id) found.push(view)
  return found
}
/** All tasks that the page knows, as they are to be shown. */
export const allTasks = (): Task[] => [...entries.values()].flatMap(({ view }) => view ?? [])
/** Whether something on the screen shows the task. */
export const isMounted = (id: string): boolean => (listeners.get(id)?.size ?? 0) > 0

/** The task as it is to be shown; undefined while it is not known, or deleted. */
export const useTask = (id: string | undefined): Task | undefined =>
  useSyncExternalStore(
    (listener) => listen(id ?? '', listener),
    () => (id ? taskOf(id) : undefined),
  )

/** Whether the server has still to hear of something about a task. */
export const useWaiting = (id: string | undefined): boolean =>
  useSyncExternalStore(
    (listener) => listen(id ?? '', listener),
    () => id !== undefined && isWaiting(id),
  )

/** The conflict about a task; while it is used, it counts as seen where the task is. */
export const useConflict = (id: string): Conflict | undefined =>
  useSyncExternalStore(
    (listener) => {
      const stop = listen(id, listener)
      showing.set(id, (showing.get(id) ?? 0) + 1)
      return () => {
        stop()
        showing.set(id, (showing.get(id) ?? 1) - 1)
      }
    },
    () => conflictOf(id),
  )

/** How many parts of the page would show a conflict about a task. */
const showing = new Map<string, number>()
/** Whether somebody sees a conflict about a task where it is: its panel or page is open. */
export const isConflictShown = (id: string): boolean => (showing.get(id) ?? 0) > 0

/** Counts changes of any task: for lists, which place tasks by their fields. */
export const useTasksRevision = (): number => useSyncExternalStore(onTasks, tasksRevision)

/** Tells of changes of any task, at most once a turn; gives what ends it. */
export function onTasks(listener: () => void): () => void {
  anyListeners.add(listener)
  return () => anyListeners.delete(listener)
}
/** A number that grows with every change of any task. */
export const tasksRevision = (): number => revision

function set(id: string, entry: Omit<Entry, 'view'>): void {
  const { base, changes } = entry
  const view = changes.length === 0 ? base : shown(base, changes, projectOf(base.project_id))
  entries.set(id, { ...entry, view })
  tell(id)
}

function listen(id: string, listener: () => void): () => void {
  const all = listeners.get(id) ?? new Set()
  listeners.set(id, all.add(listener))
  return () => {
    all.delete(listener)
    if (all.size === 0 && listeners.get(id) === all) listeners.delete(id)
  }
}

const tell = (id: string) => {
  for (const listener of [...(listeners.get(id) ?? [])]) listener()
}

let telling = false
/** Once a turn, however many tasks a reply brings. */
function tellAny(): void {
  revision += 1
  if (telling) return
  telling = true
  queueMicrotask(() => {
    telling = false
    for (const listener of [...anyListeners]) listener()
  })
}
