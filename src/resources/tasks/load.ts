import { notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
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

/** The same for a change: with the record as an object, to compare with. */
export async function loadTaskToWrite(tx: ReadTx, name: string) {
  const task = await loadTask(tx, name)
  return { ...task, record: fromJson(task.json) }
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
