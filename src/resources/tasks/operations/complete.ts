import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { noteNotificationsOf } from '#db/notifications/notify.ts'
import { recordActivities, type TaskActivity } from '#db/tasks/record-activity.ts'
import { fromJson } from '#lib/json.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import type { completeTask, restoreTask } from '../contract.ts'
import type { Task } from '../fields.ts'
import {
  type LoadedTask,
  loadTaskBatches,
  loadTaskRecords,
  parseStatuses,
  type TaskToWrite,
} from '../load.ts'
import { completingStatus, enterStatus, MAX_SUBTASK_LEVELS, mapStatus } from '../rules/rules.ts'
import { refreshDependenciesAround } from '../statements/links.ts'
import { ancestors, tasksDeletedTogether, visibleTasksByIds } from '../statements/related.ts'
import { setTaskColumns } from '../store.ts'
import { assertExternalIdFree, TaskCounters } from '../writing/change-task.ts'
import { updateLoadedTask } from './update.ts'

export const complete: Operation<typeof completeTask, TaskToWrite> = (tx, task) =>
  completeLoadedTask(tx, task)

/** Completes an open task and returns it; a completed task stays as it is. */
async function completeLoadedTask(tx: WriteTx, task: TaskToWrite) {
  assertNotArchived(task)
  if (task.record.status_category === 'completed') return task
  return updateLoadedTask(tx, task, { status: completingStatus(parseStatuses(task.statuses)).key })
}

const setRestored = setTaskColumns([
  'parent_id',
  'status',
  'status_category',
  'completed_at',
  'completed_by_id',
  'canceled_at',
  'deleted_at',
  'deleted_by_operation_id',
  'version',
  'updated_at',
])

export const restore: Operation<typeof restoreTask, LoadedTask> = (tx, task) =>
  restoreLoadedTask(tx, task)

/** Restores a task with the subtasks of the same deletion; an undeleted task stays as it is. */
export async function restoreLoadedTask(tx: WriteTx, task: LoadedTask): Promise<LoadedTask> {
  assertNotArchived(task)
  if (task.deleted_at === null) return task
  const operation_id = task.deleted_by_operation_id ?? ''
  const group = await tx.all(tasksDeletedTogether, { id: task.id, operation_id })
  const ids = group.map(({ id }) => id)
  const deleted = await loadTaskRecords(tx, ids)
  for (const record of deleted) await assertExternalIdFree(tx, record.id, record)

  const counters = new TaskCounters()
  const levels = Math.max(...group.map(({ depth }) => depth)) + 1
  const statuses = parseStatuses(task.statuses)
  const top_parent_id = await findRestoredParent(tx, fromJson(task.json), levels)
  const rows = deleted.map((record) => {
    const parent_id = record.id === task.id ? top_parent_id : record.parent_id
    const statusFields = enterStatus(tx, statuses, mapStatus(statuses, record).key, record)
    counters.add({ ...record, ...statusFields, parent_id }, 1)
    return {
      id: record.id,
      parent_id,
      ...statusFields,
      deleted_at: null,
      deleted_by_operation_id: null,
      version: record.version + 1,
      updated_at: nextUpdatedAt(tx, record.updated_at),
    }
  })
  await tx.runEach(setRestored, rows)
  await counters.write(tx)
  await refreshDependenciesAround(tx, ids)
  await noteNotificationsOf(tx, ids)
  return emitRestored(tx, task, deleted)
}

async function emitRestored(tx: WriteTx, top: LoadedTask, deleted: readonly Task[]) {
  const before = new Map(deleted.map((record) => [record.id, record]))
  const activities: TaskActivity[] = []
  let restoredTop = top
  for await (const tasks of loadTaskBatches(tx, [...before.keys()])) {
    for (const task of tasks) {
      const { id, json, project_id } = task
      const changes = diffRecords(before.get(id) ?? {}, fromJson(json))
      tx.emit('task.updated', json, { subject_id: id, project_id, changes })
      const { deleted_at: _, ...others } = changes
      activities.push({ task_id: id, kind: 'restored', changes: others })
      if (id === top.id) restoredTop = task
    }
    await tx.storeLargeEvents()
  }
  await recordActivities(tx, activities)
  return restoredTop
}

/** The former parent, unless it is deleted, in another project, or too deep for the subtasks. */
async function findRestoredParent(tx: WriteTx, { parent_id, project_id }: Task, levels: number) {
  if (parent_id === null) return null
  const [parent] = await tx.all(visibleTasksByIds, { ids: [parent_id] })
  if (parent?.project_id !== project_id) return null
  const above = await tx.all(ancestors, { id: parent_id })
  return above.length + 1 + levels > MAX_SUBTASK_LEVELS ? null : parent_id
}
