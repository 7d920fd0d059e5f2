import type { WriteTx } from '#core/transaction.ts'
import { toIndexWords, toSearchableText } from '#db/tasks/search-words.ts'
import { bytesOfRecord, textsOfTask } from '#db/workspaces/stored-bytes.ts'
import { newId } from '#lib/id.ts'
import { pickFields, SET_FIELDS, type TaskFields } from '../fields.ts'
import { enterStatus } from '../rules/status.ts'
import {
  addAssignee,
  addBlocker,
  addTagLink,
  adjustTagCount,
  refreshDependencies,
} from '../statements/links.ts'
import { adjustSubtaskCounts, insertTask, insertTaskWords, takeTaskNumber } from '../store.ts'
import { writtenTaskRecord } from '../task-json.ts'
import { rankAtEnd, rankBeside, type TaskPlacement } from './rank.ts'
import { noteDerivedChange } from './task-events.ts'
import { type TaskProjectContext, toTaskColumns } from './task-fields.ts'

/** Where a new task comes from, and where it is placed. */
export interface TaskOrigin {
  created_by_id: string
  recurred_from_id?: string
  /** Defaults to the end of the project. */
  placement?: Pick<TaskPlacement, 'side' | 'beside'> | undefined
}

/**
 * Writes a new task whose fields have been validated, and returns it. The caller emits the events.
 */
export async function writeNewTask(
  tx: WriteTx,
  { project_id, prefix, statuses }: TaskProjectContext,
  fields: TaskFields,
  { created_by_id, recurred_from_id, placement }: TaskOrigin,
) {
  const id = newId('tsk', tx.nowMs)
  const position = placement
    ? await rankBeside(tx, { ...placement, project_id, id: null, position: null })
    : await rankAtEnd(tx, project_id)
  const statusFields = enterStatus(tx, statuses, fields.status)
  tx.countBytes('content', bytesOfRecord(...textsOfTask(fields)))
  // The transaction runs these in order; not awaiting each one saves round trips.
  const text = toSearchableText(fields.title, fields.description)
  const writes: Promise<unknown>[] = [
    tx.run(takeTaskNumber(statusFields.status_category), { project_id }),
    tx.run(insertTask, {
      ...NEW_TASK_COLUMNS,
      ...(toTaskColumns(pickFields(fields, SET_FIELDS)) as Required<
        ReturnType<typeof toTaskColumns>
      >),
      ...statusFields,
      id,
      project_id,
      position,
      recurred_from_id: recurred_from_id ?? null,
      created_by_id,
      created_at: tx.now,
      updated_at: tx.now,
    }),
    tx.run(insertTaskWords, { id, words: toIndexWords(tx.actor.workspace_id, text) }),
    ...writeLinks(tx, id, fields),
  ]
  if (fields.parent_id !== null) {
    const completed = statusFields.status_category === 'completed' ? 1 : 0
    writes.push(tx.run(adjustSubtaskCounts, { parent_id: fields.parent_id, by: 1, completed }))
  }
  const [row] = await Promise.all([tx.one(writtenTaskRecord, { id, prefix }), ...writes])
  if (fields.parent_id !== null) noteDerivedChange(tx, fields.parent_id, project_id)
  if (!row) throw new Error('A task was inserted without a row')
  const { json } = row
  return { id, project_id, revision: 1, json, assignee_ids: fields.assignee_ids }
}

/** Starts writing the assignees, tags and blockers of a new task. */
function writeLinks(
  tx: WriteTx,
  task_id: string,
  { assignee_ids, tag_ids, blocked_by_ids }: TaskFields,
): Promise<unknown>[] {
  return [
    ...assignee_ids.map((user_id) => tx.run(addAssignee, { user_id, task_id })),
    ...tag_ids.flatMap((tag_id) => [
      tx.run(addTagLink, { tag_id, task_id }),
      tx.run(adjustTagCount, { tag_id, by: 1 }),
    ]),
    ...blocked_by_ids.map((blocker_id) => tx.run(addBlocker, { task_id, blocker_id })),
    ...(blocked_by_ids.length > 0 ? [refreshDependencies(tx, [task_id, ...blocked_by_ids])] : []),
  ]
}

const NEW_TASK_COLUMNS = {
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
