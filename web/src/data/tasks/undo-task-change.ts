import { mutationMessages } from '../../messages/app/mutations.ts'
import type { Reversal } from '../app/toasts.ts'
import { cancelMutation, mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import { getTaskChanges } from '../mutations/stored-mutation.ts'
import { applyChange, asCreated, type MadeTaskChange, type TaskAction } from './change-task.ts'
import {
  applyPatch,
  getPatchedFields,
  invertPatch,
  type Task,
  type TaskChange,
  type TaskPatch,
} from './task-patch.ts'
import {
  getCachedTask,
  getRealId,
  getServerTask,
  getTaskConflict,
  setTaskConflict,
} from './task-store.ts'

/** Undoes a change that the person has made. Returns its redo; undefined if there is nothing left of it. */
export const undoTaskChange = ({ change, inverse }: MadeTaskChange): Reversal | undefined =>
  takeBack(change, ({ patch, from }) => ({
    kind: 'patch',
    patch: { ...invertPatch(patch, from), ...inverse },
  }))

/**
 * Queues the restoration of a deleted task, which is not shown before the server has restored it.
 * Returns its key.
 */
export function queueRestoration({ id, short_id }: Pick<Task, 'id' | 'short_id'>): string {
  const key = crypto.randomUUID()
  mutationLog.add({
    key,
    queueKey: id,
    label: mutationMessages.restored(short_id),
    payload: { kind: 'restore', id, short_id },
  })
  return key
}

/** A change as it was sent, and its fields as the server has left them. */
interface AppliedChange {
  change: TaskChange
  left: Partial<Task>
}

/** More than the messages that have an undo; some changes have no message. */
const MAX_APPLIED_CHANGES = 300
/** The last acknowledged changes of this page, by key, for their undo. */
const appliedChanges = new Map<string, AppliedChange>()
export function recordApplied(change: TaskChange, task: Task): void {
  appliedChanges.set(change.key, { change, left: pickPatchedFields(task, change.patch) })
  const [oldest] = appliedChanges.keys()
  if (appliedChanges.size > MAX_APPLIED_CHANGES && oldest) appliedChanges.delete(oldest)
}

/**
 * Takes a change back: cancels it if it was not sent yet, otherwise sends the opposite one. Returns
 * what makes it again; undefined if it has left nothing to take back.
 */
function takeBack(
  change: TaskChange,
  getOpposite: (made: TaskChange) => TaskAction,
): Reversal | undefined {
  const { key, kind, patch, from } = change
  const id = getRealId(from.id)
  // Of a task that the page does not hold any more, the server is asked when the undo is sent.
  const current = getServerTask(id) ? getCachedTask(id) : from
  const again = { kind, patch }
  const repeat = (task: Task, since: Task) => {
    const repeated = applyChange(task, again, { from: asCreated(since, task) })
    return () => takeBack(repeated, getOpposite)
  }
  if (cancelMutation(key)) return () => repeat(getCachedTask(id) ?? from, from)
  if (getTaskConflict(id)?.change.key === key) {
    setTaskConflict(id, undefined)
    return undefined
  }
  if (kind === 'delete') {
    const restoration = queueRestoration({ id, short_id: from.short_id })
    // Behind a restoration that is under way, the deletion waits for it.
    return () => {
      if (cancelMutation(restoration)) return () => takeBack(change, getOpposite)
      const restored = getCachedTask(id) ?? from
      return repeat(restored, restored)
    }
  }
  // A change that was refused, or dropped for somebody else's, has left nothing to undo.
  const made = appliedChanges.get(key) ?? findUnsentChange(key)
  if (!current || !made) return undefined
  // Based on the fields as the change left them, so that later changes of others are a conflict.
  const left = { ...current, ...made.left }
  const opposite = getOpposite(made.change)
  if (opposite.kind === 'patch' && Object.keys(opposite.patch).length === 0) return undefined
  const undone = applyChange(current, opposite, { from: left })
  return () => takeBack(undone, () => again)
}

/** A change that is being sent, as it is by now: the person may have merged it. */
function findUnsentChange(key: string): AppliedChange | undefined {
  const change = mutationQueue
    .get()
    .flatMap(({ payload }) => getTaskChanges(payload))
    .find((one) => one.key === key)
  if (!change) return undefined
  const { patch, from } = change
  return { change, left: pickPatchedFields(applyPatch(from, patch, undefined), patch) }
}

/** The fields of a task that a patch changes. */
export const pickPatchedFields = (task: Task, patch: TaskPatch): Partial<Task> =>
  Object.fromEntries(getPatchedFields(patch).map((name) => [name, task[name]]))
