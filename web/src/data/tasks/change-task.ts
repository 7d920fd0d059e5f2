import type { bulkTasks } from '#resources/tasks/contract.ts'
import type { CallInput } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { cancelMutation, mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import { placeBeside } from './place-beside.ts'
import { resolvePatchIds } from './resolve-task-ids.ts'
import {
  applyPatch,
  findConflictingFields,
  getPatchedFields,
  getPatchText,
  invertPatch,
  type Task,
  type TaskChange,
  type TaskPatch,
} from './task-patch.ts'
import { taskReplica, type WrittenTask } from './task-replica.ts'
import {
  getCachedTask,
  getPendingChanges,
  getRealId,
  getServerTask,
  getTaskConflict,
  recordOwnVersion,
  setTaskConflict,
  updatePendingChanges,
} from './task-store.ts'

export { findConflictingFields } from './task-patch.ts'

/** How a change is presented, and from which state of the task it started. */
export interface TaskChangeOptions {
  /** The text of the toast, e.g. "Moved DOC-12 to Done"; without it there is no toast. */
  label?: string
  /** The task as it was when editing began, if the change was made in an editor. */
  from?: Task | undefined
  /** What undoes more than that the fields get their previous values, as the place in a list. */
  inverse?: TaskPatch | undefined
}

/** Changes a task: shown in the same frame and queued, with undo in the toast. */
export function changeTask(id: string, patch: TaskPatch, options: TaskChangeOptions = {}): void {
  const task = getCachedTask(getRealId(id))
  const { from } = options
  if (task)
    applyChange(task, { kind: 'patch', patch }, { ...options, from: from && asCreated(from, task) })
  else if (from) changeUnloadedTask(from, patch)
}

/** The task as it was when editing began, if it has been created since. */
const asCreated = (from: Task, { id, short_id, number, version }: Task): Task =>
  from.id === id ? from : { ...from, id, short_id, number, version }

/**
 * Changes a task that has left the page while it was being edited. If the server does not have it
 * either, the refused change keeps what was typed.
 */
function changeUnloadedTask(from: Task, patch: TaskPatch): void {
  applyChange(from, { kind: 'patch', patch }, {})
}

/** Completes a task; a completed one stays as it is. */
export function completeTaskAs(id: string, status: string, options: TaskChangeOptions = {}): void {
  const task = getCachedTask(id)
  if (!task || task.status_category === 'completed') return
  applyChange(task, { kind: 'complete', patch: { status } }, options)
}

/** Deletes a task; undo in the toast restores it. */
export function deleteTaskWithUndo(id: string, options: TaskChangeOptions = {}): void {
  const task = getCachedTask(id)
  if (!task) return
  applyChange(task, { kind: 'delete', patch: {} }, options)
}

/** Queues the restoration of a deleted task, which is not shown before the server has restored it. */
export const queueRestoration = ({ id, short_id }: Pick<Task, 'id' | 'short_id'>): void =>
  mutationLog.add({
    key: crypto.randomUUID(),
    queueKey: id,
    label: mutationMessages.restored(short_id),
    payload: { kind: 'restore', id, short_id },
  })

function applyChange(
  task: Task,
  action: Pick<TaskChange, 'kind' | 'patch'>,
  options: TaskChangeOptions,
): void {
  const { label, from = task } = options
  // An undo may name a task that was not saved yet when its move was made.
  const patch = withTimeOfDueDate(resolvePatchIds(action.patch, getRealId), from)
  const replaced = findReplacedTexts(task.id, patch)
  const refused = replaced.filter(({ isRefused }) => isRefused).map(({ change }) => change)
  const change: TaskChange = {
    ...action,
    patch,
    key: crypto.randomUUID(),
    from: withVersionSeen(patch, refused.reduceRight(withBaseOf, from)),
    ...placeBeside(task, patch),
  }
  updatePendingChanges(task.id, (changes) => [
    ...changes.filter((one) => refused.every(({ key }) => key !== one.key)),
    change,
  ])
  mutationLog.add({
    key: change.key,
    replacedKeys: replaced.map(({ change: { key } }) => key),
    queueKey: task.id,
    label: label ?? mutationMessages.changed(task.short_id),
    payload: { kind: 'change', id: task.id, change },
  })
  if (label !== undefined)
    showToast({ text: label, undo: () => undoChange(task, change, options.inverse) })
}

/** Another due date alone clears the time as well. Naming both makes a time that others set a conflict. */
const withTimeOfDueDate = (patch: TaskPatch, { due_date }: Task): TaskPatch =>
  patch.due_date === undefined || patch.due_date === due_date || patch.due_at !== undefined
    ? patch
    : { ...patch, due_at: null }

/** The unsaved changes of text, if a patch gives other values to all of their fields and members. */
const findReplacedTexts = (id: string, patch: TaskPatch) =>
  mutationQueue.get().flatMap(({ payload, refusal }) => {
    if (payload.kind !== 'change' || payload.id !== id) return []
    const { change } = payload
    const { custom_fields = {} } = patch
    const isReplaced =
      Object.keys(change.patch).every((name) => name in patch) &&
      Object.keys(change.patch.custom_fields ?? {}).every((name) => name in custom_fields)
    const isText = getPatchText(change.patch) !== undefined
    return isReplaced && isText ? { change, isRefused: refusal !== undefined } : []
  })

/**
 * The state from which a new text starts. Below the refused one, which was never saved, somebody
 * else may have changed the same fields since: that is a conflict.
 */
const withBaseOf = (from: Task, { patch, from: base }: TaskChange): Task => ({
  ...from,
  ...Object.fromEntries(getPatchedFields(patch).map((name) => [name, base[name]])),
  version: base.version,
})

/**
 * A change that was made on top of an unsent one does not know what somebody else has set below it.
 * Should the unsent one be discarded, that is a conflict: its version must not count as seen.
 */
export function withVersionSeen(patch: TaskPatch, from: Task): Task {
  const base = getServerTask(from.id)
  const hiding = getPendingChanges(from.id).find(
    (earlier) =>
      base &&
      earlier.from.version < from.version &&
      findConflictingFields(earlier, base).some((name) => name in patch),
  )
  return hiding ? { ...from, version: hiding.from.version } : from
}

/** The versions that this page's changes have produced, by key, for their undo. */
const resultingVersions = new Map<string, number>()

/**
 * Removes a pending change: acknowledged with the resulting task, or rejected without one. After a
 * repeated reply the task has to be read before.
 */
export function settleChange(id: string, key: string, reply?: WrittenTask): void {
  if (reply) {
    recordOwnVersion(reply.task)
    resultingVersions.set(key, reply.task.version)
    if (reply.changeNumber !== undefined)
      taskReplica.takeReply({ op: 'put', record: reply.task }, reply.changeNumber)
  }
  updatePendingChanges(id, (changes) => changes.filter((one) => one.key !== key))
}

/** Takes away a task whose deletion was acknowledged as the change of this number. */
export function settleDeletion(id: string, key: string, changeNumber: number | undefined): void {
  const project_id = getServerTask(id)?.project_id
  if (changeNumber !== undefined && project_id !== undefined)
    taskReplica.takeReply({ op: 'delete', id, project_id }, changeNumber)
  settleChange(id, key)
}

/** Undoes a change: cancels it if it was not sent yet, otherwise sends the inverse change. */
function undoChange(task: Task, change: TaskChange, inverse?: TaskPatch): void {
  const { key } = change
  const id = getRealId(task.id)
  if (cancelMutation(key)) {
    settleChange(id, key)
    return
  }
  if (getTaskConflict(id)?.change.key === key) {
    settleChange(id, key)
    setTaskConflict(id, undefined)
    return
  }
  if (change.kind === 'delete') {
    queueRestoration({ id, short_id: task.short_id })
    return
  }
  const version = resultingVersions.get(key)
  const current = getCachedTask(id)
  // A change that was refused, or dropped for somebody else's, has left nothing to undo.
  const isPending = mutationQueue.get().some((one) => one.key === key)
  if (!current || (version === undefined && !isPending)) return
  // Based on the fields as the change left them, so that later changes of others are a conflict. So
  // are those that the person has replaced, should the server refuse a change that is being sent.
  const from =
    version === undefined
      ? { ...current, version: change.from.version }
      : { ...current, ...valuesAfter(task, change), version }
  const patch = { ...invertPatch(change.patch, task), ...inverse }
  if (Object.keys(patch).length > 0) applyChange(current, { kind: 'patch', patch }, { from })
}

/** The values that a change gave its fields. */
function valuesAfter(task: Task, { patch }: TaskChange): Partial<Task> {
  const after = applyPatch(task, patch, undefined)
  return Object.fromEntries(getPatchedFields(patch).map((name) => [name, after[name]]))
}

export type BulkOperation = CallInput<typeof bulkTasks>['body']['operations'][number]
