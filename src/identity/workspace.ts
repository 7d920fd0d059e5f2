import type { Plan } from '#core/actor.ts'
import { changesBetween } from '#core/changes.ts'
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
  tx.audit('workspace.created', tx.actor.workspace_id, { plan })
}

/** The workspace of the transaction. */
export async function loadWorkspace(tx: ReadTx): Promise<Workspace | undefined> {
  return tx.one(workspaceById, {})
}

/** Puts the workspace on a plan; the same plan is no change. */
export const setPlan = (tx: WriteTx, workspace: Workspace, plan: Plan): Promise<Workspace> =>
  changeWorkspace(tx, workspace, { plan })

/** Changes name, time zone or plan; what is absent stays, and what is the same is no change. */
export async function changeWorkspace(
  tx: WriteTx,
  workspace: Workspace,
  wanted: Partial<Pick<Workspace, 'name' | 'plan' | 'timezone'>>,
): Promise<Workspace> {
  const { name, plan, timezone } = { ...workspace, ...wanted }
  const present = { name: workspace.name, plan: workspace.plan, timezone: workspace.timezone }
  const changed = Object.keys(changesBetween(present, { name, plan, timezone }))
  if (changed.length === 0) return workspace
  const updated_at = later(tx, workspace.updated_at)
  await tx.run(updateWorkspace, { name, plan, timezone, updated_at })
  const to = changed.includes('plan') && { plan: { from: workspace.plan, to: plan } }
  tx.audit('workspace.updated', workspace.id, { changed, ...to })
  await advanceGeneration(tx)
  return { ...workspace, name, plan, timezone, updated_at }
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

type Changed = Scoped<Pick<Workspace, 'name' | 'plan' | 'timezone' | 'updated_at'>>
const updateWorkspace = command((db, $: Changed) =>
  db
    .updateTable('workspaces')
    .set(row($, 'name', 'plan', 'timezone', 'updated_at'))
    .where('id', '=', $.workspace_id),
)
