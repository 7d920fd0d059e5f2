import type { Plan } from '#core/actor.ts'
import { later } from '#core/later.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { command, query, row, type Scoped } from '#storage/statement.ts'
import { advanceGeneration } from './generation.ts'

/** A workspace as it is shown (contract 6.9), but for the limit that its plan has in this process. */
export interface Workspace {
  id: string
  name: string
  plan: Plan
  timezone: string
  created_at: string
  updated_at: string
}

/** Makes the workspace of the transaction: its actor carries the new id. */
export async function createWorkspace(
  tx: WriteTx,
  { name, plan, timezone }: Pick<Workspace, 'name' | 'plan' | 'timezone'>,
): Promise<void> {
  await tx.run(insertWorkspace, { name, plan, timezone, created_at: tx.now })
}

/** The workspace of the transaction. */
export async function loadWorkspace(tx: ReadTx): Promise<Workspace | undefined> {
  return tx.one(workspaceById, {})
}

/** Puts the workspace on a plan; the same plan is no change. */
export async function setPlan(tx: WriteTx, workspace: Workspace, plan: Plan): Promise<Workspace> {
  if (workspace.plan === plan) return workspace
  const updated_at = later(tx, workspace.updated_at)
  await tx.run(changePlan, { plan, updated_at })
  await advanceGeneration(tx)
  return { ...workspace, plan, updated_at }
}

type NewWorkspace = Scoped<Pick<Workspace, 'name' | 'plan' | 'timezone' | 'created_at'>>
const insertWorkspace = command((db, $: NewWorkspace) =>
  db.insertInto('workspaces').values({
    ...row($, 'name', 'plan', 'timezone', 'created_at'),
    id: $.workspace_id,
    updated_at: $.created_at,
    last_sequence: 0,
  }),
)

const workspaceById = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at'])
    .where('id', '=', $.workspace_id),
)

const changePlan = command((db, $: Scoped<{ plan: Plan; updated_at: string }>) =>
  db
    .updateTable('workspaces')
    .set(row($, 'plan', 'updated_at'))
    .where('id', '=', $.workspace_id),
)
