import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import type { completeTask } from '../contract.ts'
import type { TaskToWrite } from '../load.ts'
import { parseStatuses } from '../project-context.ts'
import { completingStatus } from '../rules/status.ts'
import { updateLoadedTask } from './update.ts'

export const complete: Operation<typeof completeTask, TaskToWrite> = (tx, task) =>
  completeLoadedTask(tx, task)

/** Completes an open task and returns it; a completed task stays as it is. */
export async function completeLoadedTask(tx: WriteTx, task: TaskToWrite) {
  assertNotArchived(task)
  if (task.record.status_category === 'completed') return task
  return updateLoadedTask(tx, task, { status: completingStatus(parseStatuses(task.statuses)).key })
}
