import { mutationMessages } from '../../messages/app/mutations.ts'
import type { MutationAttempt } from '../mutations/mutation-entry.ts'
import { getPatchText, type Task, type TaskChange, type TaskConflict } from './task-patch.ts'
import { TaskGoneError } from './task-queries.ts'
import {
  getPendingChanges,
  getRealId,
  getServerTask,
  getTaskConflict,
  isTempId,
  setTaskConflict,
  subscribeToTasks,
} from './task-store.ts'

type Choice = TaskChange | undefined

const pendingChoices = new Map<string, (chosen: Choice | Promise<Choice>) => void>()

/**
 * Resolves once the person has chosen a version: with their change, or with undefined for the other
 * one. Once the page does not hold the task any more it resolves with the change as it was: the sender
 * asks the server what has become of the task. If the person deletes the task, nobody can choose any
 * more: the change is discarded, or if it has text, it rejects, so that the text is kept.
 */
export function waitForChoice(id: string, conflict: TaskConflict): Promise<TaskChange | undefined> {
  const { change } = conflict
  if (isToBeDeleted(id)) return dropChange(change)
  setTaskConflict(id, conflict)
  const stop = subscribeToTasks(() => {
    // The person has undone the change.
    if (getTaskConflict(id)?.change.key !== change.key) resolveChoice(id, undefined)
    else if (!getServerTask(id)) resolveChoice(id, change)
    else if (isToBeDeleted(id)) resolveChoice(id, dropChange(change))
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
  resolveChoice(id, { ...change, from: theirs, patch })
}

/** Resolves a conflict by discarding the local change. */
export const discardLocalChange = (id: string): void => resolveChoice(id, undefined)

async function dropChange({ patch }: TaskChange): Promise<undefined> {
  if (getPatchText(patch) !== undefined) throw new TaskGoneError(mutationMessages.goneMeanwhile)
}

function resolveChoice(id: string, chosen: Choice | Promise<Choice>): void {
  setTaskConflict(id, undefined)
  pendingChoices.get(id)?.(chosen)
  pendingChoices.delete(id)
}

/**
 * Resolves with the server's id of a task. If the task has a temporary id, waits until the server
 * has created it; if the person discards it instead, resolves with the temporary id.
 */
export async function waitUntilCreated(
  id: string,
  { hold }: Pick<MutationAttempt<unknown>, 'hold'>,
): Promise<string> {
  if (isTempId(id) && getServerTask(id))
    await hold(new Promise<void>((resolve) => onTaskRemoved(id, resolve)))
  return getRealId(id)
}

/** Calls back once a task has left the store, e.g. a placeholder whose task was created. */
function onTaskRemoved(id: string, callback: () => void): void {
  const stop = subscribeToTasks(() => {
    if (getServerTask(id)) return
    stop()
    callback()
  })
}
