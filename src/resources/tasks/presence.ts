import type { WriteTx } from '#core/tx.ts'
import type { Task } from './fields.ts'
import { countTagged, neighbours, refreshDependencies } from './links.ts'
import { countSubtask, countTask } from './store.ts'
import { noteDerived } from './tell.ts'

/** What a task counts in elsewhere: its project, parent, tags and dependencies. */
type Counted = Pick<Task, 'id' | 'project_id' | 'status_category' | 'parent_id' | 'tag_ids'>

/** Takes a task that was deleted out of all counts and lists of others. */
export const withdraw = (tx: WriteTx, task: Counted) => count(tx, task, -1)

/** Puts a task that was restored back into them. */
export const readmit = (tx: WriteTx, task: Counted) => count(tx, task, 1)

async function count(tx: WriteTx, task: Counted, by: 1 | -1): Promise<void> {
  const { id, project_id, status_category, parent_id, tag_ids } = task
  await tx.run(countTask(status_category), { project_id, by })
  if (parent_id !== null) {
    const completed = status_category === 'completed' ? by : 0
    await tx.run(countSubtask, { parent_id, by, completed })
    noteDerived(tx, parent_id, project_id)
  }
  for (const tag_id of tag_ids) await tx.run(countTagged, { tag_id, by })
  const others = await tx.all(neighbours, { id })
  if (others.length > 0) await refreshDependencies(tx, [id, ...others.map((other) => other.id)])
}
