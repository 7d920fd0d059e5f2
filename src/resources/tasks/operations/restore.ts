import { changesBetween } from '#core/changes.ts'
import { later } from '#core/later.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { fromJson } from '#lib/json.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import { recordActivity } from '#storage/activity.ts'
import type { restoreTask } from '../contract.ts'
import type { Task } from '../fields.ts'
import type { FoundTask } from '../load.ts'
import { readmit } from '../presence.ts'
import { ancestors, deletedTogether, tasksAmong } from '../related.ts'
import { MOST_LEVELS } from '../rules/family.ts'
import { mappedStatus, stageOf } from '../rules/status.ts'
import { statusesIn } from '../setting.ts'
import { taskById } from '../shown.ts'
import { type Settable, setTask } from '../store.ts'
import { refuseTakenExternal } from '../wish.ts'

export const restore: Operation<typeof restoreTask, FoundTask> = (tx, task) => restoreOne(tx, task)

/** Brings a deleted task back, with what the same deletion took along; an undeleted one stays as it is. */
export async function restoreOne(tx: WriteTx, task: FoundTask): Promise<FoundTask> {
  refuseArchived(task)
  if (task.deleted_at === null) return task
  const operation_id = task.deleted_by_operation_id ?? ''
  const group = await tx.all(deletedTogether, { id: task.id, operation_id })
  const before: Task[] = []
  for (const { id } of group) before.push(fromJson((await found(tx, id)).json))
  for (const record of before) await refuseTakenExternal(tx, record.id, record)

  const levels = Math.max(...group.map(({ depth }) => depth)) + 1
  for (const record of before) {
    const isTop = record.id === task.id
    const parent_id = isTop ? await livingParent(tx, record, levels) : record.parent_id
    await revive(tx, record, { parent_id }, task)
  }
  for (const record of before) {
    const { json, project_id } = await found(tx, record.id)
    const changes = changesBetween(record, fromJson(json))
    tx.emit('task.updated', json, { subject_id: record.id, project_id, changes })
    const { deleted_at: _, ...others } = changes
    await recordActivity(tx, record.id, 'restored', others)
  }
  return found(tx, task.id)
}

async function revive(
  tx: WriteTx,
  record: Task,
  columns: Partial<Settable>,
  { statuses: text }: FoundTask,
): Promise<void> {
  const statuses = statusesIn(text)
  const stage = stageOf(tx, statuses, mappedStatus(statuses, record).key, record)
  const all: Partial<Settable> = {
    ...columns,
    ...stage,
    deleted_at: null,
    deleted_by_operation_id: null,
    version: record.version + 1,
    updated_at: later(tx, record.updated_at),
  }
  const names = (Object.keys(all) as (keyof Settable)[]).toSorted()
  await tx.run(setTask(names), { ...all, id: record.id })
  const { parent_id = record.parent_id } = columns
  await readmit(tx, { ...record, ...stage, parent_id })
}

/** The parent of before, unless it is deleted, in another project by now, or too deep. */
async function livingParent(tx: WriteTx, { parent_id, project_id }: Task, levels: number) {
  if (parent_id === null) return null
  const [parent] = await tx.all(tasksAmong, { ids: [parent_id] })
  if (parent?.project_id !== project_id) return null
  const above = await tx.all(ancestors, { id: parent_id })
  return above.length + 1 + levels > MOST_LEVELS ? null : parent_id
}

async function found(tx: WriteTx, id: string): Promise<FoundTask> {
  const task = await tx.one(taskById, { id })
  if (!task) throw new Error('A task is gone while it is restored')
  return task
}
