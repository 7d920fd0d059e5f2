import { countAttempts, limitTasksMade } from '#auth/sign-in/attempt-limits.ts'
import { viewerId } from '#core/actor.ts'
import { MAX_WRITTEN_BYTES, writeTooLarge } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { notifyAssignees } from '#db/notifications/notify.ts'
import { bytesOfTexts, textsOfTask } from '#db/workspaces/stored-bytes.ts'
import type { Json } from '#lib/json.ts'
import type { TaskFields } from '../fields.ts'
import type { CreatedTaskTree } from '../internal.ts'
import { addBlocker, refreshDependencies } from '../statements/links.ts'
import { taskById } from '../task-json.ts'
import type { TaskPlacement } from './rank.ts'
import { emitTaskCreated } from './task-events.ts'
import type { TaskProjectContext } from './task-fields.ts'
import { writeNewTask } from './write-new-task.ts'

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
  const bytes = seeds.reduce((sum, { fields }) => sum + bytesOfTexts(...textsOfTask(fields)), 0)
  if (2 * bytes > MAX_WRITTEN_BYTES) throw writeTooLarge()
}
