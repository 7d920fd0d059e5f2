import { countAttempts, limitTasksMade } from '#auth/sign-in/attempt-limits.ts'
import { viewerId } from '#core/actor.ts'
import { MAX_WRITTEN_BYTES, writeTooLarge } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { notifyAssignees } from '#db/notifications/notify.ts'
import { toIndexWords, toSearchableText } from '#db/tasks/search-words.ts'
import type { Json } from '#lib/json.ts'
import { addTagLink } from '#resources/tags/store.ts'
import { pickFields, SET_FIELDS, type TaskFields } from '../fields.ts'
import type { CreatedTaskTree } from '../internal.ts'
import { enterStatus } from '../rules/rules.ts'
import {
  addAssignee,
  addBlocker,
  adjustTagCount,
  refreshDependencies,
} from '../statements/links.ts'
import { adjustSubtaskCounts, insertTask, insertTaskWords, takeTaskNumber } from '../store.ts'
import { taskById, writtenTaskRecord } from '../task-json.ts'
import { type TaskProjectContext, toTaskColumns } from './change-task.ts'
import { rankAtEnd, rankBeside, type TaskPlacement } from './rank.ts'
import { emitTaskCreated } from './task-events.ts'

/** Where a new task comes from, and where it is placed. */
interface TaskOrigin {
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
  const id = tx.newRecordId('tsk')
  const position = placement
    ? await rankBeside(tx, { ...placement, project_id, id: null, position: null })
    : await rankAtEnd(tx, project_id)
  const statusFields = enterStatus(tx, statuses, fields.status)
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

/** A task of a tree to create. `parent` and `blocked_by` are indexes of the list of tasks. */
export interface TaskSeed {
  fields: Omit<TaskFields, 'parent_id' | 'blocked_by_ids'>
  /** An index before its own; null for the topmost task. */
  parent: number | null
  blocked_by: readonly number[]
}

interface TreePlacement {
  /** The parent of the topmost task. */
  parent_id: string | null
  placement?: Pick<TaskPlacement, 'side' | 'beside'> | undefined
}

/**
 * Creates tasks whose fields have been validated, the topmost first, emits their events and notifies
 * their assignees. Throws 429 if the workspace has made too many in the last minute.
 */
export async function createTaskTree(
  tx: WriteTx,
  context: TaskProjectContext,
  seeds: readonly TaskSeed[],
  { parent_id, placement }: TreePlacement,
): Promise<Json<CreatedTaskTree>> {
  assertSmallEnough(seeds)
  await countTasksMade(tx, seeds.length)
  const ids: string[] = []
  const idAt = (index: number): string => {
    const id = ids[index]
    if (id === undefined) throw new Error('A tree names a task that is not made yet')
    return id
  }
  for (const { fields, parent } of seeds) {
    const taskFields = { ...fields, parent_id: parent === null ? parent_id : idAt(parent) }
    const origin = { created_by_id: viewerId(tx.actor), ...(parent === null && { placement }) }
    ids.push((await writeNewTask(tx, context, { ...taskFields, blocked_by_ids: [] }, origin)).id)
  }
  const links = seeds.flatMap(({ blocked_by }, index) =>
    blocked_by.map((blocker) => ({ task_id: idAt(index), blocker_id: idAt(blocker) })),
  )
  for (const link of links) await tx.run(addBlocker, link)
  await refreshDependencies(
    tx,
    links.flatMap(({ task_id, blocker_id }) => [task_id, blocker_id]),
  )
  // Read when all is written: an event holds the task as it is at the commit.
  let top: string | undefined
  for (const [index, { fields }] of seeds.entries()) {
    const task = await tx.one(taskById, { id: idAt(index) })
    if (!task) throw new Error('A task was made that cannot be seen')
    emitTaskCreated(tx, { ...task, assignee_ids: fields.assignee_ids })
    await notifyAssignees(tx, task, fields.assignee_ids)
    top ??= task.json
  }
  return `{"task":${top},"made":${seeds.length}}` as Json<CreatedTaskTree>
}

/**
 * Counts the tasks themselves, because one request makes many: a workspace makes as many a minute by
 * its pages as programs could with as many requests. The request that reaches the limit is still
 * answered, so that any tree can be copied.
 */
async function countTasksMade(tx: WriteTx, count: number): Promise<void> {
  const { workspace_id, plan } = tx.actor
  const limit = limitTasksMade(workspace_id, tx.settings.requestsPerMinute[plan])
  const { refusal } = await countAttempts(tx, [limit], count)
  if (refusal) throw refusal
}

/** The transaction would notice, too, but not before it has written most of it: texts and events. */
function assertSmallEnough(seeds: readonly TaskSeed[]): void {
  const bytes = seeds.reduce(
    (sum, { fields }) => sum + Buffer.byteLength(JSON.stringify(fields)),
    0,
  )
  if (bytes > MAX_WRITTEN_BYTES) throw writeTooLarge()
}
