import type { bulkTasks } from '#resources/tasks/contract.ts'
import { formatDay } from '../../lib/dates/plain-date.ts'
import type { CallInput } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { messages, type Reversal, showToast, undoOf, updateToast } from '../app/toasts.ts'
import type { NewMutation } from '../mutations/mutation-entry.ts'
import { mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'
import { placeBeside } from './place-beside.ts'
import { resolvePatchIds } from './resolve-task-ids.ts'
import {
  asCreated,
  getPatchText,
  isTaskFinished,
  type Task,
  type TaskChange,
  type TaskPatch,
} from './task-patch.ts'
import { openTaskPage } from './task-path.ts'
import { getCachedTask, getCachedTasks, getRealId, subscribeToTasks } from './task-store.ts'

/** How a change is presented, and from which state of the task it started. */
interface TaskChangeOptions {
  /** The text of the toast, e.g. "Moved DOC-12 to Done"; without it there is no toast. */
  label?: string
  /** The task as it was when editing began, if the change was made in an editor. */
  from?: Task | undefined
}

/**
 * Changes a task: shown in the same frame and queued, with undo in the toast. Returns its undo;
 * undefined if the task is gone.
 */
export function changeTask(
  id: string,
  patch: TaskPatch,
  options: TaskChangeOptions = {},
): Reversal | undefined {
  const task = getCachedTask(getRealId(id))
  const { from } = options
  const action = { kind: 'patch', patch } as const
  if (task) return applyWithUndo(task, action, { ...options, from: from && asCreated(from, task) })
  // The task has left the page while it was being edited. If the server does not have it either,
  // the refused change keeps what was typed.
  if (from) applyChange(from, action, {})
  return undefined
}

/** Completes a task; a completed one stays as it is. */
export function completeTaskAs(id: string, status: string, options: TaskChangeOptions = {}): void {
  const task = getCachedTask(id)
  if (!task || task.status_category === 'completed') return
  applyWithUndo(task, { kind: 'complete', patch: { status } }, options)
}

/** Deletes a task; undo in the toast restores it. Returns that undo; undefined if it is gone. */
export function deleteTaskWithUndo(
  id: string,
  options: TaskChangeOptions = {},
): Reversal | undefined {
  const task = getCachedTask(id)
  return task && applyWithUndo(task, { kind: 'delete', patch: {} }, options)
}

/** What a change does. */
type TaskAction = Pick<TaskChange, 'kind' | 'patch'>

function applyWithUndo(task: Task, action: TaskAction, options: TaskChangeOptions): Reversal {
  const { label } = options
  const undo = undoOf(applyChange(task, action, options))
  if (label === undefined) return undo
  const open = isTaskFinished(task) ? 0 : countOpenSubtasksIfCompleted(task.id)
  const text = open === 0 ? label : mutationMessages.subtasksOpen(label, open)
  const toastId = showToast({ text, undo, isInTrash: action.kind === 'delete' })
  const isCompleted = getCachedTask(task.id)?.status_category === 'completed'
  if (isCompleted) tellNextOccurrence(task.id, toastId)
  return undo
}

/**
 * While a toast is open, lets it lead to the next occurrence of a completed task, once the server has
 * created it. Rows of lists do not know whether they repeat.
 */
function tellNextOccurrence(id: string, toastId: number): void {
  const stop = subscribeToTasks((ids) => {
    const toast = messages.get().find((one) => one.id === toastId)
    if (!toast?.isOpen || toast.mode !== 'done') return stop()
    const next = [...ids].map(getCachedTask).find((one) => one?.recurred_from_id === id)
    if (!next?.due_date) return
    stop()
    updateToast(toastId, {
      text: mutationMessages.doneNext(formatDay(next.due_date)),
      action: { label: mutationMessages.open, run: () => openTaskPage(next.short_id) },
    })
  })
}

function countOpenSubtasksIfCompleted(id: string): number {
  if (getCachedTask(id)?.status_category !== 'completed') return 0
  return getCachedTasks().filter((one) => one.parent_id === id && !isTaskFinished(one)).length
}

/** Shows and queues a change of a task, as it was when editing began. Returns the mutation. */
function applyChange(
  task: Task,
  action: TaskAction,
  options: TaskChangeOptions,
): NewMutation<StoredMutation> {
  const { label, from = task } = options
  const patch = withTimeOfDueDate(resolvePatchIds(action.patch, getRealId), from)
  const change: TaskChange = {
    ...action,
    patch,
    key: crypto.randomUUID(),
    from,
    ...placeBeside(task, patch),
  }
  const entry: NewMutation<StoredMutation> = {
    key: change.key,
    replacedKeys: findReplacedTexts(task.id, patch),
    queueKey: task.id,
    label: label ?? mutationMessages.changed(task.short_id),
    payload: { kind: 'change', id: task.id, change },
  }
  mutationLog.add(entry)
  return entry
}

/** Another due date alone clears the time as well. Naming both makes a time that others set a conflict. */
const withTimeOfDueDate = (patch: TaskPatch, { due_date }: Task): TaskPatch =>
  patch.due_date === undefined || patch.due_date === due_date || patch.due_at !== undefined
    ? patch
    : { ...patch, due_at: null }

/** The keys of the unsaved changes of text to all of whose fields and members a patch gives other values. */
const findReplacedTexts = (id: string, patch: TaskPatch): string[] =>
  mutationQueue.get().flatMap(({ key, payload }) => {
    if (payload.kind !== 'change' || payload.id !== id) return []
    const earlier = payload.change.patch
    const { custom_fields = {} } = patch
    const isReplaced =
      Object.keys(earlier).every((name) => name in patch) &&
      Object.keys(earlier.custom_fields ?? {}).every((name) => name in custom_fields)
    return isReplaced && getPatchText(earlier) !== undefined ? key : []
  })

export type BulkOperation = CallInput<typeof bulkTasks>['body']['operations'][number]
