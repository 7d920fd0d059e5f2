import { mutationQueue } from '../mutations/mutation-queue.ts'
import { type BulkCommand, findOwnChange, getCommandChange } from './bulk-command.ts'
import { applyChanges, type TaskChange } from './task-patch.ts'
import {
  findTaskIdByNumber,
  getCachedTask,
  getPendingChanges,
  getServerTask,
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
 * What changes in each task of a command that the person gives. Tasks that it leaves as they are do
 * not belong to it: others may change them before it is sent.
 */
export function beginBulkChange(intended: PendingBulkChange, key: string): PendingBulkChange {
  const { project_id } = intended
  const changes = listBulkChanges(intended, key)
  const changed = new Set(changes.map(({ from }) => from.number))
  const isUnknown = (number: number) => !getServerTask(findTaskIdByNumber(project_id, number) ?? '')
  const numbers = intended.numbers.filter((number) => changed.has(number) || isUnknown(number))
  return { ...intended, numbers, changes }
}

/** What changes in each of its tasks that are loaded by now. */
export function listBulkChanges(
  { project_id, numbers, command, changes }: PendingBulkChange,
  key: string,
): readonly TaskChange[] {
  const all = new Map(changes.map((change) => [change.from.id, change]))
  for (const number of numbers) {
    // A task that somebody else has moved has two numbers.
    const id = findTaskIdByNumber(project_id, number)
    const change = id && !all.has(id) && createChange(id, number, command, key)
    if (change) all.set(id, change)
  }
  return [...all.values()]
}

function createChange(
  id: string,
  number: number,
  command: BulkCommand,
  key: string,
): TaskChange | undefined {
  // A task may be loaded, and changed by a newer mutation, before this one is sent. That one stays on
  // top, and what it replaces is not sent.
  const turn = getTurn(key)
  const later = getPendingChanges(id).filter((one) => getTurn(toMutationKey(one.key)) > turn)
  const earlier = getPendingChanges(id).filter((one) => !later.includes(one))
  const base = getServerTask(id)
  const task = later.length > 0 && base ? applyChanges(base, earlier, undefined) : getCachedTask(id)
  const intended = task ? getCommandChange(command, task) : findOwnChange(command, number)
  if (!intended || !task) return undefined
  const { kind, patch } = intended
  const isReplaced = (name: string) => later.some((one) => name in one.patch)
  const names = Object.keys(patch)
  if (names.length > 0 && names.every(isReplaced)) return undefined
  return { kind, patch, from: task, key: `${key} ${id}` }
}

/** The key of the mutation of a pending change; a batch has one for each of its tasks. */
const toMutationKey = (changeKey: string): string => changeKey.split(' ')[0] ?? ''

/** The place of a mutation in the log; one that is only being made will be the last. */
const getTurn = (key: string): number =>
  mutationQueue.get().find((one) => one.key === key)?.turn ?? Number.POSITIVE_INFINITY
