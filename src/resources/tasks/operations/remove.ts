import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { noteNotificationsOf } from '#db/notifications/notify.ts'
import { recordActivities } from '#db/tasks/record-activity.ts'
import { emitTimersStopped, stopTimers } from '#db/tasks/timers.ts'
import { fromJson } from '#lib/json.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import type { deleteTask } from '../contract.ts'
import { loadTaskBatches, type TaskToWrite } from '../load.ts'
import { assertTreeIsSmallEnough, loadDescendants, MAX_SUBTASKS } from '../rules/rules.ts'
import { refreshDependenciesAround } from '../statements/links.ts'
import { setTaskColumns } from '../store.ts'
import { TaskCounters } from '../writing/change-task.ts'

const setDeleted = setTaskColumns([
  'deleted_at',
  'deleted_by_operation_id',
  'version',
  'updated_at',
])

export const remove: Operation<typeof deleteTask, TaskToWrite> = async (tx, task) => {
  await removeLoadedTask(tx, task)
}

/** Deletes a task with its subtasks. They can be restored for some days (docs/spec/api.md#task). */
export async function removeLoadedTask(tx: WriteTx, task: TaskToWrite): Promise<void> {
  assertNotArchived(task)
  const subtasks = await loadDescendants(tx, task.id, MAX_SUBTASKS)
  const ids = [task.id, ...subtasks.map(({ id }) => id)]
  await assertTreeIsSmallEnough(tx, ids, 'deleted')
  const timers = await stopTimers(tx, { task_ids: ids })
  const counters = new TaskCounters()
  for await (const tasks of loadTaskBatches(tx, ids)) {
    const rows = tasks.map(({ json }) => {
      const record = fromJson(json)
      counters.add(record, -1)
      return {
        id: record.id,
        deleted_at: tx.now,
        deleted_by_operation_id: tx.operation_id,
        version: record.version + 1,
        updated_at: nextUpdatedAt(tx, record.updated_at),
      }
    })
    await tx.runEach(setDeleted, rows)
  }
  await counters.write(tx)
  await refreshDependenciesAround(tx, ids)
  // Read when all is written: an event holds the task as it is at the commit.
  for await (const tasks of loadTaskBatches(tx, ids)) {
    for (const { id, json, project_id } of tasks)
      tx.emit('task.deleted', json, { subject_id: id, project_id })
    await tx.storeLargeEvents()
  }
  await emitTimersStopped(tx, timers)
  await recordActivities(
    tx,
    ids.map((task_id) => ({ task_id, kind: 'deleted' })),
  )
  await noteNotificationsOf(tx, ids)
}
