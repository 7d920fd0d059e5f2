import { insufficientRole, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { fromJson } from '#lib/json.ts'
import { idOfFormerNumber, idOfNumber, taskById } from './shown.ts'

/** A task with what operations on it look at. `revision` is its version. */
export type FoundTask = Awaited<ReturnType<typeof loadTask>>

/** The task of an id or a short id, if the actor sees its project and it is not deleted. */
export async function loadTask(tx: ReadTx, name: string) {
  const task = await loadTaskOrDeleted(tx, name)
  if (task.deleted_at !== null) throw notFound()
  return task
}

/** The same, and a deleted one too: to restore it. */
export async function loadTaskOrDeleted(tx: ReadTx, name: string) {
  const id = name.startsWith('tsk_') ? name : await idOfShortId(tx, name)
  const task = id === undefined ? undefined : await tx.one(taskById, { id })
  if (!task) throw notFound()
  return task
}

/** A task that is to be changed. */
export type TaskToWrite = Awaited<ReturnType<typeof loadTaskToWrite>>

/** The same for a change: with the record as an object, to compare with. */
export async function loadTaskToWrite(tx: ReadTx, name: string) {
  const task = await loadTask(tx, name)
  return { ...task, record: fromJson(task.json) }
}

/** The same for a deletion: guests delete only what they made. */
export async function loadTaskToDelete(tx: ReadTx, name: string) {
  const task = await loadTaskToWrite(tx, name)
  refuseOthersGuest(tx, task, 'delete')
  return task
}

const DAY_MS = 24 * 60 * 60 * 1000

/** A task that may be deleted, as long as it can be restored; guests restore only what they made. */
export async function loadTaskToRestore(tx: ReadTx, name: string) {
  const task = await loadTaskOrDeleted(tx, name)
  const trash_since = timestampOf(tx.instant - tx.settings.trashDays * DAY_MS)
  if (task.deleted_at !== null && task.deleted_at <= trash_since) throw notFound()
  refuseOthersGuest(tx, task, 'restore')
  return task
}

function refuseOthersGuest({ actor }: ReadTx, task: FoundTask, verb: string): void {
  if (actor.role !== 'guest' || task.created_by_id === actor.user_id) return
  throw insufficientRole(`Guests ${verb} only tasks that they created.`)
}

const LARGEST = 2 ** 31 - 1

/** The id of the task that a short id names, now or formerly, whatever its case (contract 1.5). */
export async function idOfShortId(tx: ReadTx, name: string): Promise<string | undefined> {
  const [, prefix, digits] =
    /^([A-Z][A-Z0-9]{1,9})-([1-9][0-9]{0,15})$/.exec(name.toUpperCase()) ?? []
  const number = Number(digits)
  if (prefix === undefined || !(number <= LARGEST)) return undefined
  const found =
    (await tx.one(idOfNumber, { prefix, number })) ??
    (await tx.one(idOfFormerNumber, { prefix, number }))
  return found?.id
}
