import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import type { completeTask } from '../contract.ts'
import type { TaskToWrite } from '../load.ts'
import { completingStatus } from '../rules/status.ts'
import { statusesIn } from '../setting.ts'
import { updateAs } from './update.ts'

export const complete: Operation<typeof completeTask, TaskToWrite> = (tx, task) =>
  completeOne(tx, task)

/** Completes an open task; a completed one stays as it is. Gives it as it is shown then. */
export async function completeOne(tx: WriteTx, task: TaskToWrite) {
  refuseArchived(task)
  if (task.record.status_category === 'completed') return task
  return updateAs(tx, task, { status: completingStatus(statusesIn(task.statuses)).key })
}
