import { later } from '#core/later.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { fromJson } from '#lib/json.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import { recordActivity } from '#storage/activity.ts'
import { stopTimers } from '#storage/timers.ts'
import type { deleteTask } from '../contract.ts'
import type { FoundTask, TaskToWrite } from '../load.ts'
import { refuseTooMany } from '../move.ts'
import { withdraw } from '../presence.ts'
import { descendants } from '../related.ts'
import { taskById } from '../shown.ts'
import { setTask } from '../store.ts'

const setDeleted = setTask(['deleted_at', 'deleted_by_operation_id', 'version', 'updated_at'])

export const remove: Operation<typeof deleteTask, TaskToWrite> = async (tx, task) => {
  await removeOne(tx, task)
}

/** Deletes a task with its subtasks, so that it can be restored for a while (contract 6.2). */
export async function removeOne(tx: WriteTx, task: TaskToWrite): Promise<void> {
  refuseArchived(task)
  const below = await tx.all(descendants, { id: task.id })
  refuseTooMany(below.length)
  const ids = [task.id, ...below.map(({ id }) => id)]
  for (const id of ids) {
    await stopTimers(tx, { task_id: id })
    const { version, updated_at, ...record } = await read(tx, id)
    await tx.run(setDeleted, {
      id,
      deleted_at: tx.now,
      deleted_by_operation_id: tx.operation_id,
      version: version + 1,
      updated_at: later(tx, updated_at),
    })
    await withdraw(tx, record)
  }
  // Read when all is done: an event shows the task as it is at the commit.
  for (const id of ids) {
    const { json, project_id } = await found(tx, id)
    tx.emit('task.deleted', json, { subject_id: id, project_id })
    await recordActivity(tx, id, 'deleted')
  }
}

const read = async (tx: WriteTx, id: string) => fromJson((await found(tx, id)).json)

async function found(tx: WriteTx, id: string): Promise<FoundTask> {
  const task = await tx.one(taskById, { id })
  if (!task) throw new Error('A task is gone while it is deleted')
  return task
}
