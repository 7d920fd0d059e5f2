import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { RecordReply } from '#core/route.ts'
import type { FieldChanges, WriteTx } from '#core/transaction.ts'
import { toIndexWords, toSearchableText } from '#db/tasks/search-words.ts'
import { bytesOfTexts, textsOfTask } from '#db/workspaces/stored-bytes.ts'
import type { Task, TaskFields } from '../fields.ts'
import { enterStatus } from '../rules/status.ts'
import {
  addAssignee,
  addBlocker,
  addTagLink,
  diffSets,
  refreshDependencies,
  removeAssignee,
  removeBlocker,
  removeTagLink,
} from '../statements/links.ts'
import { type SettableTaskColumns, setTaskColumns, writeTaskWords } from '../store.ts'
import { writtenTaskRecord } from '../task-json.ts'
import { TaskCounters } from './task-counters.ts'
import { type TaskProjectContext, toTaskColumns } from './task-fields.ts'

/** The state that an operation gives a task. */
export interface NextTaskState {
  fields: TaskFields
  /** The statuses of its project, in which `fields.status` is one. */
  statuses: TaskProjectContext['statuses']
  /** What only some operations set: the rank; the project with the number there. */
  placement?: Partial<Pick<Task, 'position' | 'project_id' | 'number' | 'short_id'>> | undefined
}

/** A task before and after an operation, and every field that differs. */
export interface TaskDiff {
  before: Task
  /** Without what the write itself derives: version, time, counts. */
  after: Task
  /** As events show it: without derived fields, and without texts that are too long for an event. */
  changes: FieldChanges
  /** The task with its recurrence, if the operation completes it. */
  completed: Task | undefined
}

/** Compares a task with its next state, once for the columns to write and for the events. */
export function diffTask(
  tx: WriteTx,
  before: Task,
  { fields, statuses, placement }: NextTaskState,
): TaskDiff {
  const statusFields = enterStatus(tx, statuses, fields.status, before)
  const isCompletion =
    statusFields.status_category === 'completed' && before.status_category !== 'completed'
  // The next occurrence recurs in place of a task that is completed.
  const recurrence = isCompletion ? null : fields.recurrence
  const after: Task = { ...before, ...fields, ...statusFields, recurrence, ...placement }
  const changes = diffRecords(before, after)
  return { before, after, changes, completed: isCompletion ? { ...before, ...fields } : undefined }
}

/**
 * Writes what differs between a task and its next state, with everything that is derived from it.
 * Returns the task as stored, or undefined if nothing differs.
 */
export async function saveTaskChange(
  tx: WriteTx,
  change: TaskDiff,
  { prefix }: TaskProjectContext,
): Promise<RecordReply<Task> | undefined> {
  const { id, version } = change.before
  const counters = new TaskCounters()
  if (!(await writeTaskChange(tx, change, counters))) return undefined
  await counters.write(tx)
  const row = await tx.one(writtenTaskRecord, { id, prefix })
  if (!row) throw new Error('A task is gone while an operation writes it')
  return { id, revision: version + 1, json: row.json }
}

/**
 * Writes one of many tasks and returns whether anything differed. The caller writes the counters
 * once, after the last task.
 */
export async function writeTaskChange(
  tx: WriteTx,
  { before, after, changes }: TaskDiff,
  counters: TaskCounters,
): Promise<boolean> {
  const changedFields = Object.entries(after).filter(([name]) => name in changes)
  if (changedFields.length === 0) return false
  const columns: Partial<SettableTaskColumns> = {
    ...toTaskColumns(Object.fromEntries(changedFields)),
    version: before.version + 1,
    updated_at: nextUpdatedAt(tx, before.updated_at),
  }
  const columnNames = (Object.keys(columns) as (keyof SettableTaskColumns)[]).toSorted()
  await tx.run(setTaskColumns(columnNames), { ...columns, id: before.id })
  if (COUNTED_FIELDS.some((field) => field in changes)) {
    const growth = bytesOfTexts(...textsOfTask(after)) - bytesOfTexts(...textsOfTask(before))
    tx.countBytes('content', growth)
  }

  if ('title' in changes || 'description' in changes) {
    const words = toIndexWords(
      tx.actor.workspace_id,
      toSearchableText(after.title, after.description),
    )
    await tx.run(writeTaskWords, { id: before.id, words })
  }
  await writeLinks(tx, before, after)
  counters.add(before, -1)
  counters.add(after, 1)
  return true
}

/** The fields of which the quota of the workspace counts the bytes. */
const COUNTED_FIELDS = ['title', 'description', 'custom_fields', 'metadata'] as const

/** Writes the assignees, tags and blockers that were added or removed. */
async function writeLinks(tx: WriteTx, before: Task, after: Task): Promise<void> {
  const task_id = before.id
  const assignees = diffSets(before.assignee_ids, after.assignee_ids)
  for (const user_id of assignees.gained) await tx.run(addAssignee, { user_id, task_id })
  for (const user_id of assignees.lost) await tx.run(removeAssignee, { user_id, task_id })
  const tags = diffSets(before.tag_ids, after.tag_ids)
  for (const tag_id of tags.gained) await tx.run(addTagLink, { tag_id, task_id })
  for (const tag_id of tags.lost) await tx.run(removeTagLink, { tag_id, task_id })
  const blockers = diffSets(before.blocked_by_ids, after.blocked_by_ids)
  for (const blocker_id of blockers.gained) await tx.run(addBlocker, { task_id, blocker_id })
  for (const blocker_id of blockers.lost) await tx.run(removeBlocker, { task_id, blocker_id })
  const changedBlockers = [...blockers.gained, ...blockers.lost]
  if (changedBlockers.length > 0) await refreshDependencies(tx, [task_id, ...changedBlockers])
}
