import type {
  bulkTasks,
  completeTask,
  deleteTask,
  getTask,
  restoreTask,
  updateTask,
} from '#resources/tasks/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import {
  type CallInput,
  requestEndpoint,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { queryClient, refetchLists } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import {
  cancelMutation,
  enqueueMutation,
  holdMutation,
  type Mutation,
  resumeMutation,
} from '../mutations/mutation-queue.ts'
import { recordLocalChange } from './local-changes.ts'
import {
  applyPatch,
  getPatchedFields,
  hasFieldConflict,
  invertPatch,
  type Task,
  type TaskChange,
  type TaskPatch,
} from './task-patch.ts'
import { refetchTask } from './task-queries.ts'
import {
  getCachedTask,
  getPendingChanges,
  getRealId,
  getServerTask,
  getTaskConflict,
  isConflictShown,
  isTaskMounted,
  isTempId,
  putTasks,
  removeCachedTask,
  setTaskConflict,
  subscribeToTasks,
  updatePendingChanges,
} from './task-store.ts'

/** How a change is presented, and from which state of the task it started. */
export interface TaskChangeOptions {
  /** The text of the toast, e.g. "Moved DOC-12 to Done"; without it there is no toast. */
  label?: string
  /** The task as it was when editing began, if the change was made in an editor. */
  from?: Task
}

/** Changes a task: shown in the same frame and queued, with undo in the toast. */
export function changeTask(id: string, patch: TaskPatch, options: TaskChangeOptions = {}): void {
  const task = getCachedTask(id)
  if (!task) return
  applyChange(task, { kind: 'patch', patch }, options)
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

/** Restores a deleted task. A retry has to pass the same idempotency key. */
export async function restoreDeletedTask(
  id: string,
  key: string = crypto.randomUUID(),
): Promise<Task> {
  const sent = { params: { id }, body: {} }
  const to = 'POST /api/v1/tasks/:id/restore'
  const { body, operation_id } = await requestEndpointForResult<typeof restoreTask>(to, sent, {
    idempotencyKey: key,
  })
  recordOwnOperation(operation_id)
  recordLocalChange(body)
  putTasks([body])
  refetchLists()
  return body
}

function applyChange(
  task: Task,
  action: Pick<TaskChange, 'kind' | 'patch'>,
  options: TaskChangeOptions,
): void {
  const { label, from = task } = options
  const change: TaskChange = { ...action, key: crypto.randomUUID(), from }
  updatePendingChanges(task.id, (changes) => [...changes, change])
  let resultingVersion: number | undefined
  enqueueMutation(
    createMutation(task, change, label ?? mutationMessages.changed(task.short_id), (version) => {
      resultingVersion = version
    }),
  )
  if (label === undefined) return
  showToast({
    text: label,
    undo: () => undoChange(task, change, () => resultingVersion),
  })
}

/** Resumes a change of an earlier page; shown on the stored task until that is fetched again. */
export function resumeTaskChange(
  old: boolean,
  id: string,
  change: TaskChange,
  label: string,
): void {
  if (!getServerTask(id)) putTasks([change.from])
  const task = getServerTask(id)
  if (!task) return
  updatePendingChanges(id, (changes) => [...changes, change])
  resumeMutation(createMutation(task, change, label), old)
}

function createMutation(
  task: Task,
  change: TaskChange,
  label: string,
  onVersion: (version: number | undefined) => void = () => undefined,
): Mutation {
  return {
    key: change.key,
    queueKey: task.id,
    label,
    stored: { kind: 'change', id: task.id, change, label },
    async send() {
      if (isTempId(task.id) && getServerTask(task.id)) {
        await holdMutation(change.key, new Promise((resolve) => onTaskRemoved(task.id, resolve)))
      }
      onVersion(await sendChange(getRealId(task.id), change))
    },
    onRejected(error) {
      settleChange(getRealId(task.id), change.key)
      showRejection(task, error)
    },
  }
}

/** Calls back once a task has left the store, e.g. a placeholder whose task was created. */
function onTaskRemoved(id: string, callback: () => void): () => void {
  const stop = subscribeToTasks(() => {
    if (getServerTask(id)) return
    stop()
    callback()
  })
  return stop
}

/** Sends a change; if somebody else changed other fields meanwhile, on top of theirs. */
async function sendChange(id: string, change: TaskChange): Promise<number | undefined> {
  for (;;) {
    const base = getServerTask(id)
    if (!base) return showTaskDeleted(change)
    const version = getVersionToMatch(base, change)
    const conflicts = version === change.from.version ? [] : findConflictingFields(change, base)
    if (conflicts.length > 0) {
      // An earlier own change was sent on top of theirs, so this version would overwrite theirs.
      await holdMutation(change.key, waitForChoice(id, { change, theirs: base, fields: conflicts }))
      if (!getServerTask(id)) continue
      if (!getPendingChanges(id).some(({ key }) => key === change.key)) return undefined
      continue
    }
    try {
      const task = await sendRequest(id, change, version)
      if (change.kind === 'delete') removeCachedTask(id)
      else settleChange(id, change.key, task)
      refetchLists()
      void queryClient.invalidateQueries({ queryKey: ['activity', id] })
      refetchParentCounts(base, change)
      return task?.version
    } catch (error) {
      if (!(error instanceof ApiResponseError) || error.code !== 'version_mismatch') throw error
      const theirs = await requestEndpoint<typeof getTask>('GET /api/v1/tasks/:id', {
        params: { id },
      })
      const fields = findConflictingFields(change, theirs)
      putTasks([theirs])
      if (fields.length === 0) {
        change.from = { ...change.from, version: theirs.version }
        continue
      }
      await holdMutation(change.key, waitForChoice(id, { change, theirs, fields }))
      if (!getServerTask(id)) continue
      if (!getPendingChanges(id).some(({ key }) => key === change.key)) return undefined
    }
  }
}

/** Refetches a mounted parent, which counts its subtasks and the completed ones. */
function refetchParentCounts({ parent_id }: Task, { kind, patch }: TaskChange): void {
  if (kind === 'patch' && !('status' in patch)) return
  if (parent_id && isTaskMounted(parent_id)) refetchTask(parent_id)
}

/** The version that a change applies to, which may be the result of an earlier own change. */
const getVersionToMatch = (base: Task, change: TaskChange): number =>
  ownVersions.get(base.id) === base.version ? base.version : change.from.version

/** The version of each task that this page's last change of it has produced. */
const ownVersions = new Map<string, number>()
export const recordOwnVersion = ({ id, version }: Task): void => void ownVersions.set(id, version)

/** The fields of a change that somebody else has set to another value since it was made. */
export function findConflictingFields(
  { kind, patch, from }: TaskChange,
  theirs: Task,
): (keyof Task)[] {
  if (kind === 'delete') return []
  return getPatchedFields(patch).filter((name) => {
    // Additions to a set and removals from it are compatible with those of others.
    return name in patch && hasFieldConflict(name, patch, from, theirs)
  })
}

const pendingChoices = new Map<string, () => void>()

/** Resolves once the person has chosen a version, or the task has left the store. */
function waitForChoice(id: string, conflict: Parameters<typeof setTaskConflict>[1]): Promise<void> {
  setTaskConflict(id, conflict)
  const short_id = conflict?.theirs.short_id
  if (short_id && !isConflictShown(id))
    showToast({ text: mutationMessages.conflict(short_id), tone: 'trouble' })
  const stop = onTaskRemoved(id, () => resolveChoice(id))
  return new Promise((resolve) => {
    pendingChoices.set(id, () => {
      stop()
      resolve()
    })
  })
}

/** Resolves a conflict with the local change, or with a patch that merges both versions. */
export function keepLocalChange(
  id: string,
  change: TaskChange,
  theirs: Task,
  patch = change.patch,
): void {
  change.from = theirs
  change.patch = patch
  updatePendingChanges(id, (changes) => [...changes])
  resolveChoice(id)
}

/** Resolves a conflict by discarding the local change. */
export function discardLocalChange(id: string, change: TaskChange): void {
  settleChange(id, change.key)
  resolveChoice(id)
}

function resolveChoice(id: string): void {
  setTaskConflict(id, undefined)
  pendingChoices.get(id)?.()
  pendingChoices.delete(id)
}

async function sendRequest(id: string, { kind, patch, key }: TaskChange, version: number) {
  const options = { idempotencyKey: key, ifMatch: version }
  const params = { id }
  const reply = await (kind === 'delete'
    ? requestEndpointForResult<typeof deleteTask>('DELETE /api/v1/tasks/:id', { params }, options)
    : kind === 'complete'
      ? requestEndpointForResult<typeof completeTask>(
          'POST /api/v1/tasks/:id/complete',
          { params, body: {} },
          options,
        )
      : requestEndpointForResult<typeof updateTask>(
          'PATCH /api/v1/tasks/:id',
          { params, body: patch },
          options,
        ))
  recordOwnOperation(reply.operation_id)
  return reply.body as Task | undefined
}

/** Removes a pending change: acknowledged with the resulting task, or rejected without one. */
export function settleChange(id: string, key: string, task?: Task): void {
  if (task) {
    ownVersions.set(id, task.version)
    putTasks([task])
  }
  updatePendingChanges(id, (changes) => changes.filter((one) => one.key !== key))
}

/** Undoes a change: cancels it if it was not sent yet, otherwise sends the inverse change. */
function undoChange(
  task: Task,
  change: TaskChange,
  getResultingVersion: () => number | undefined,
): void {
  const id = getRealId(task.id)
  if (cancelMutation(change.key)) {
    settleChange(id, change.key)
    return
  }
  if (getTaskConflict(id)?.change.key === change.key) {
    discardLocalChange(id, change)
    return
  }
  if (change.kind === 'delete') {
    const key = crypto.randomUUID()
    enqueueMutation({
      key,
      queueKey: task.id,
      label: mutationMessages.restored(task.short_id),
      send: async () => void (await restoreDeletedTask(id, key)),
      onRejected: (error) => showRejection(task, error),
    })
    return
  }
  const version = getResultingVersion()
  const current = getCachedTask(id)
  if (!current) return
  // Based on the fields as the change left them, so that later changes of others are a conflict.
  const from =
    version === undefined ? current : { ...current, ...valuesAfter(task, change), version }
  applyChange(current, { kind: 'patch', patch: invertPatch(change.patch, task) }, { from })
}

/** The values that a change gave its fields. */
function valuesAfter(task: Task, { patch }: TaskChange): Partial<Task> {
  const after = applyPatch(task, patch, undefined)
  return Object.fromEntries(getPatchedFields(patch).map((name) => [name, after[name]]))
}

/** Shows that somebody deleted the task before a change of it was sent. */
function showTaskDeleted({ kind, from }: TaskChange): undefined {
  if (kind !== 'delete')
    showToast({
      text: mutationMessages.refused(from.short_id, mutationMessages.goneMeanwhile),
      tone: 'trouble',
    })
}

function showRejection(task: Task, error: unknown): void {
  if (!(error instanceof ApiResponseError)) return
  if (error.status === 404) removeCachedTask(task.id)
  showToast({
    text: mutationMessages.refused(task.short_id, error.details[0]?.message ?? error.message),
    tone: 'trouble',
    request_id: error.request_id,
  })
}

export type BulkOperation = CallInput<typeof bulkTasks>['body']['operations'][number]
