import { changesBetween } from '#core/changes.ts'
import type { About, WriteTx } from '#core/tx.ts'
import { fromJson, type Json } from '#lib/json.ts'
import { recordActivity } from '#storage/activity.ts'
import { tellAssigned } from '#storage/watching.ts'
import type { Task } from './fields.ts'

/** What is told of a new task: its record, and what of it need not be read out of that again. */
export type Told = Pick<Task, 'id' | 'project_id' | 'assignee_ids'> & { json: Json<Task> }

/** Tells of a new task (contract 8.4). */
export function tellCreated(tx: WriteTx, { id, project_id, assignee_ids, json }: Told): void {
  const about = { subject_id: id, project_id }
  tx.emit('task.created', json, about)
  if (assignee_ids.length === 0) return
  const changes = { assignee_ids: { from: [], to: assignee_ids } }
  tx.emit('task.assigned', json, { ...about, changes })
}

/** Says that what a task shows of others has changed: no event tells of it, and no version. */
export function noteDerived(tx: WriteTx, id: string, project_id: string): void {
  tx.note({ noun: 'task', id, op: 'update', project_id })
}

/**
 * Tells what an operation made of a task: completed, updated, assigned, or nothing (contract 8.4), and
 * writes it down.
 */
export async function tellChanged(tx: WriteTx, before: Task, json: Json<Task>): Promise<void> {
  const after = fromJson(json)
  const changes = changesBetween(before, after)
  const about: About = {
    subject_id: after.id,
    project_id: after.project_id,
    former_project_id: before.project_id === after.project_id ? null : before.project_id,
    changes,
  }
  const was = new Set(before.assignee_ids)
  const given = after.assignee_ids.filter((id) => !was.has(id))
  const gained = given.length > 0
  const others = Object.keys(changes).some((field) => field !== 'assignee_ids')
  if (after.status_category === 'completed' && before.status_category !== 'completed') {
    tx.emit('task.completed', json, about)
  } else if (others || (!gained && 'assignee_ids' in changes)) {
    tx.emit('task.updated', json, about)
  }
  if (gained) tx.emit('task.assigned', json, about)
  await tellAssigned(tx, after, given)
  // Where it stands among others is nothing that was done to the task.
  if (Object.keys(changes).some((field) => field !== 'position')) {
    await recordActivity(tx, after.id, kindOf(before, after, others), changes)
  }
}

function kindOf(before: Task, after: Task, others: boolean) {
  if (after.project_id !== before.project_id) return 'moved'
  if (after.status_category === 'completed' && before.status_category !== 'completed') {
    return 'completed'
  }
  if (before.status_category === 'completed' && after.status_category !== 'completed') {
    return 'reopened'
  }
  return others ? 'updated' : 'assigned'
}
