import type { WriteTx } from '#core/tx.ts'
import { command, query, type Scoped } from '#storage/statement.ts'

/** Gives the next task number of a project away: 1, 2, 3 … without gaps, for a refusal takes it back. */
export async function nextNumber(tx: WriteTx, project_id: string): Promise<number> {
  await tx.run(takeNumber, { project_id })
  const project = await tx.one(lastNumber, { project_id })
  if (!project) throw new Error('The project of a new task is gone')
  return project.last_number
}

const takeNumber = command((db, $: Scoped<{ project_id: string }>) =>
  db
    .updateTable('projects')
    .set((project) => ({ last_number: project('last_number', '+', 1) }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.project_id),
)

const lastNumber = query((db, $: Scoped<{ project_id: string }>) =>
  db
    .selectFrom('projects')
    .select('last_number')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.project_id),
)
