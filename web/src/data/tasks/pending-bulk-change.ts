import { mutationQueue } from '../mutations/mutation-queue.ts'
import {
  type BulkCommand,
  type BulkTaskChange,
  findOwnChange,
  getCommandChange,
} from './bulk-command.ts'
import { settleChange, withVersionSeen } from './change-task.ts'
import { applyChanges, getPatchedFields, type Task, type TaskChange } from './task-patch.ts'
import {
  findTaskIdByNumber,
  getCachedTask,
  getPendingChanges,
  getServerTask,
  subscribeToTasks,
  updatePendingChanges,
} from './task-store.ts'

/** A change of many tasks of a project that the server has not acknowledged. */
export interface PendingBulkChange {
  project_id: string
  numbers: readonly number[]
  command: BulkCommand
  /** Those of its tasks that were loaded, as they were, and what changes in them. */
  changes: readonly TaskChange[]
}

/**
 * Shows a change that the person makes. Tasks that it leaves as they are do not belong to it: others
 * may change them before it is sent.
 */
export function beginBulkChange(intended: PendingBulkChange, key: string): PendingBulkChange {
  const { project_id } = intended
  const changes = showBulkChange(intended, key)
  const changed = new Set(changes.map(({ from }) => from.number))
  const isUnknown = (number: number) => !getServerTask(findTaskIdByNumber(project_id, number) ?? '')
  const numbers = intended.numbers.filter((number) => changed.has(number) || isUnknown(number))
  return { ...intended, numbers, changes }
}

/** Shows a change on all of its tasks that are loaded by now, and returns it for each of them. */
export function showBulkChange(
  { project_id, numbers, command, changes }: PendingBulkChange,
  key: string,
): readonly TaskChange[] {
  const all = new Map(changes.map((change) => [change.key, change]))
  for (const number of numbers) {
    // A task that somebody else has moved has two numbers.
    const change = showOnTask(project_id, number, command, key)
    if (change && !all.has(change.key)) all.set(change.key, change)
  }
  return [...all.values()]
}

function showOnTask(
  project_id: string,
  number: number,
  command: BulkCommand,
  key: string,
): TaskChange | undefined {
  const id = findTaskIdByNumber(project_id, number)
  if (!id) return undefined
  const changeKey = `${key} ${id}`
  const shown = getPendingChanges(id).find((one) => one.key === changeKey)
  if (shown) return shown
  const pending = getPendingChanges(id)
  // A task may be loaded, and changed by a newer mutation, before this one is sent. That one then
  // comes last, and what it replaces is not sent.
  const later = pending.filter((one) => getTurn(toMutationKey(one.key)) > getTurn(key))
  const earlier = pending.filter((one) => !later.includes(one))
  const base = getServerTask(id)
  const task = later.length > 0 && base ? applyChanges(base, earlier, undefined) : getCachedTask(id)
  const intended = task ? getCommandChange(command, task) : findOwnChange(command, number)
  const from = task ? toBase(task, intended) : intended?.deletedTask
  if (!intended || !from) return undefined
  const { kind, patch } = intended
  const isReplaced = (name: string) => later.some((one) => name in one.patch)
  const names = Object.keys(patch)
  if (names.length > 0 && names.every(isReplaced)) return undefined
  const change: TaskChange = { kind, patch, from, key: changeKey }
  updatePendingChanges(id, () => [...earlier, change, ...later])
  return change
}

/** The key of the mutation of a pending change; a batch has one for each of its tasks. */
const toMutationKey = (changeKey: string): string => changeKey.split(' ')[0] ?? ''

/** The place of a mutation in the log; one that is only being made will be the last. */
const getTurn = (key: string): number =>
  mutationQueue.get().find((one) => one.key === key)?.turn ?? Number.POSITIVE_INFINITY

/** The state that a change starts from: for an undo, the fields as the undone change left them. */
function toBase(task: Task, change: BulkTaskChange | undefined): Task {
  if (!change?.undoneTask) return change ? withVersionSeen(change.patch, task) : task
  const { undoneTask, patch } = change
  const fields = getPatchedFields(patch).map((name) => [name, undoneTask[name]])
  return { ...task, ...Object.fromEntries(fields), version: undoneTask.version }
}

/**
 * Resolves once no earlier mutation has a pending change of one of the tasks. Newer ones wait for
 * this one. A change that was refused waits for the person, and nothing waits for it.
 */
export async function waitForEarlierChanges(
  key: string,
  changes: readonly TaskChange[],
): Promise<void> {
  const isReady = () => {
    const turn = getTurn(key)
    const earlier = mutationQueue.get().filter((one) => one.turn < turn && !one.refusal)
    const keys = new Set(earlier.map((one) => one.key))
    return changes.every(({ from }) =>
      getPendingChanges(from.id).every((one) => !keys.has(toMutationKey(one.key))),
    )
  }
  while (!isReady()) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stops = [subscribeToTasks(() => resolve()), mutationQueue.subscribe(resolve)]
    await promise
    for (const stop of stops) stop()
  }
}

/** No longer shows a change as pending. */
export function settleBulkChange(
  { project_id, numbers, changes }: PendingBulkChange,
  key: string,
): void {
  const loaded = numbers.flatMap((number) => findTaskIdByNumber(project_id, number) ?? [])
  for (const id of new Set([...changes.map(({ from }) => from.id), ...loaded]))
    settleChange(id, `${key} ${id}`)
}
