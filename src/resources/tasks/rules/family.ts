import type { ReadTx } from '#core/tx.ts'
import { type Fault, fault } from '#wire/fault.ts'
import { ancestors, descendants, tasksAmong } from '../related.ts'

/** Levels of subtasks, the topmost counted (contract 6.2). */
export const MOST_LEVELS = 5

/**
 * Notes a parent that cannot be: unknown, of another project, below the task itself, or too deep.
 * `id` is null for a new task.
 */
export async function checkParent(
  tx: ReadTx,
  id: string | null,
  project_id: string,
  parent_id: string,
  faults: Fault[],
): Promise<void> {
  const no = (code: Parameters<typeof fault>[1], why: string) => {
    faults.push(fault('parent_id', code, why))
  }
  if (parent_id === id) return no('cycle', 'cannot be the task itself')
  const [parent] = await tx.all(tasksAmong, { ids: [parent_id] })
  if (!parent) return no('invalid_reference', 'must be a task that you see')
  if (parent.project_id !== project_id) return no('not_in_project', 'must be of the same project')
  const above = (await tx.all(ancestors, { id: parent_id })).map((task) => task.id)
  if (id !== null && above.includes(id))
    return no('cycle', 'cannot be a subtask of the task itself')
  const levels = above.length + 1 + (id === null ? 1 : await heightOf(tx, id))
  if (levels > MOST_LEVELS) no('too_deep', `would make more than ${MOST_LEVELS} levels`)
}

/** Levels that a task with its subtasks takes. */
async function heightOf(tx: ReadTx, id: string): Promise<number> {
  const below = await tx.all(descendants, { id })
  return 1 + Math.max(0, ...below.map(({ depth }) => depth))
}
