import type { WriteTx } from '#core/transaction.ts'
import { command, query, type Scoped } from '#db/core/statement.ts'

/**
 * Allocates the next task numbers of a project and returns the first. The numbers 1, 2, 3 … have no
 * gaps, because a rejected request rolls its allocation back.
 */
export async function allocateTaskNumbers(
  tx: WriteTx,
  project_id: string,
  count: number,
): Promise<number> {
  if (count > 0) await tx.run(addNumbers, { project_id, count })
  const project = await tx.one(lastNumber, { project_id })
  if (!project) throw new Error('The project of a new task is gone')
  return project.last_number - count + 1
}

const addNumbers = command((db, $: Scoped<{ project_id: string; count: number }>) =>
  db
    .updateTable('projects')
    .set((project) => ({ last_number: project('last_number', '+', $.count) }))
    .where('id', '=', $.project_id),
)

const lastNumber = query((db, $: Scoped<{ project_id: string }>) =>
  db.selectFrom('projects').select('last_number').where('id', '=', $.project_id),
)
