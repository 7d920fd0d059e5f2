import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { settleChange } from './change-task.ts'
import type { Task, TaskChange, TaskConflict } from './task-patch.ts'
import {
  getPendingChanges,
  getServerTask,
  isConflictShown,
  setTaskConflict,
  subscribeToTasks,
  updatePendingChanges,
} from './task-store.ts'

const pendingChoices = new Map<string, (chosen: TaskChange | undefined) => void>()

/**
 * Resolves once the person has chosen a version: with their change, or with undefined for the other
 * one. Once the task has left the store it resolves with the change as it was. If the person deletes
 * the task, the change is discarded: nobody could choose for a task that is no longer shown.
 */
export function waitForChoice(id: string, conflict: TaskConflict): Promise<TaskChange | undefined> {
  const { change, theirs } = conflict
  if (isToBeDeleted(id)) {
    settleChange(id, change.key)
    return Promise.resolve(undefined)
  }
  setTaskConflict(id, conflict)
  if (!isConflictShown(id))
    showToast({ text: mutationMessages.conflict(theirs.short_id), tone: 'trouble' })
  const stop = subscribeToTasks(() => {
    if (!getServerTask(id)) resolveChoice(id, change)
    else if (isToBeDeleted(id)) discardLocalChange(id, change)
  })
  return new Promise((resolve) => {
    pendingChoices.set(id, (chosen) => {
      stop()
      resolve(chosen)
    })
  })
}

const isToBeDeleted = (id: string): boolean =>
  getPendingChanges(id).some(({ kind }) => kind === 'delete')

/** Resolves a conflict with the local change, or with a patch that merges both versions. */
export function keepLocalChange(
  id: string,
  change: TaskChange,
  theirs: Task,
  patch = change.patch,
): void {
  const chosen = { ...change, from: theirs, patch }
  updatePendingChanges(id, (changes) =>
    changes.map((one) => (one.key === change.key ? chosen : one)),
  )
  resolveChoice(id, chosen)
}

/** Resolves a conflict by discarding the local change. */
export function discardLocalChange(id: string, change: TaskChange): void {
  settleChange(id, change.key)
  resolveChoice(id, undefined)
}

function resolveChoice(id: string, chosen: TaskChange | undefined): void {
  setTaskConflict(id, undefined)
  pendingChoices.get(id)?.(chosen)
  pendingChoices.delete(id)
}

/** Calls back once a task has left the store, e.g. a placeholder whose task was created. */
export function onTaskRemoved(id: string, callback: () => void): () => void {
  const stop = subscribeToTasks(() => {
    if (getServerTask(id)) return
    stop()
    callback()
  })
  return stop
}
