import type { WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { indexed, searchable } from '#storage/words.ts'
import { type Core, columnsOf, type Setting } from './core.ts'
import { addBlocker, addTag, assign, countTagged, refreshDependencies } from './links.ts'
import { endOf, type Place, rankAt } from './place.ts'
import { stageOf } from './rules/status.ts'
import { taskById } from './shown.ts'
import { countSubtask, insertTask, numberTask, writeWords } from './store.ts'
import { noteDerived } from './tell.ts'

/** A new task's own, beside its fields. */
export interface Birth {
  created_by_id: string
  recurred_from_id?: string
  /** Where it comes to stand; at the end of the project if not said. */
  place?: Pick<Place, 'side' | 'beside'> | undefined
}

/** Makes a task of fields that are known to be right; gives it as it is shown. Telling is the caller's. */
export async function insert(
  tx: WriteTx,
  { project_id, statuses }: Setting,
  core: Core,
  { created_by_id, recurred_from_id, place }: Birth,
) {
  const id = newId('tsk', tx.instant)
  const position = place
    ? await rankAt(tx, { ...place, project_id, id: null, position: null })
    : await endOf(tx, project_id)
  const stage = stageOf(tx, statuses, core.status)
  // The one after the other, but without waiting in between.
  const steps: Promise<unknown>[] = [
    tx.run(numberTask(stage.status_category), { project_id }),
    tx.run(insertTask, {
      ...FRESH,
      ...(columnsOf(core) as Required<ReturnType<typeof columnsOf>>),
      ...stage,
      id,
      project_id,
      position,
      recurred_from_id: recurred_from_id ?? null,
      created_by_id,
      created_at: tx.now,
      updated_at: tx.now,
    }),
    tx.run(writeWords, {
      id,
      words: indexed(tx.actor.workspace_id, searchable(core.title, core.description)),
    }),
    ...linksOf(tx, id, core),
  ]
  if (core.parent_id !== null) {
    const completed = stage.status_category === 'completed' ? 1 : 0
    steps.push(tx.run(countSubtask, { parent_id: core.parent_id, by: 1, completed }))
  }
  const [made] = await Promise.all([tx.one(taskById, { id }), ...steps])
  if (core.parent_id !== null) noteDerived(tx, core.parent_id, project_id)
  if (!made) throw new Error('A task was made that cannot be seen')
  return { ...made, assignee_ids: core.assignee_ids }
}

/** The people, tags and tasks to which a new task is linked, under way. */
function linksOf(
  tx: WriteTx,
  task_id: string,
  { assignee_ids, tag_ids, blocked_by_ids }: Core,
): Promise<unknown>[] {
  return [
    ...assignee_ids.map((user_id) => tx.run(assign, { user_id, task_id })),
    ...tag_ids.flatMap((tag_id) => [
      tx.run(addTag, { tag_id, task_id }),
      tx.run(countTagged, { tag_id, by: 1 }),
    ]),
    ...blocked_by_ids.map((blocker_id) => tx.run(addBlocker, { task_id, blocker_id })),
    ...(blocked_by_ids.length > 0 ? [refreshDependencies(tx, [task_id, ...blocked_by_ids])] : []),
  ]
}

const FRESH = {
  blocked_by_ids: '[]',
  blocking_ids: '[]',
  time_spent_seconds: 0,
  comment_count: 0,
  attachment_count: 0,
  subtask_count: 0,
  completed_subtask_count: 0,
  version: 1,
  deleted_at: null,
  deleted_by_operation_id: null,
}
