import { refuseAllButManagers } from '#core/managers.ts'
import { insufficientRole, notFound, Refusal } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { loadDeletion, restoreWorkspace } from '#identity/deletion.ts'
import * as identity from '#identity/workspace.ts'
import { timestampOf } from '#lib/clock.ts'
import { loadWorkspace } from '#resources/me/operations.ts'
import type * as internal from './internal.ts'
import { busiest, minutesSince, otherWorkspaces } from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** So many credentials are told one by one. */
const MOST_CREDENTIALS = 20

/** Owners and admins change the workspace; its plan owners alone, where the operator lets them. */
export async function changer(tx: ReadTx, { body }: { body: unknown }): Promise<undefined> {
  refuseAllButManagers(tx)
  if (!Object.hasOwn(Object(body), 'plan')) return undefined
  if (tx.actor.role !== 'owner') throw insufficientRole('Only owners change the plan.')
  if (tx.settings.planLocked) {
    throw new Refusal(403, 'plan_locked', 'The plan is changed by the operator of this Docket.')
  }
  return undefined
}

export const get: Operation<typeof internal.getWorkspace> = (tx) => loadWorkspace(tx)

/** What is deleted, and had back, is of owners alone. */
export async function ownersOnly({ actor }: ReadTx): Promise<undefined> {
  if (actor.role !== 'owner') throw insufficientRole('Only owners delete and restore a workspace.')
}

export const deletion: Operation<typeof internal.getDeletion> = async (tx) => {
  const found = await loadDeletion(tx)
  const all = await tx.all(otherWorkspaces, { user_id: tx.actor.user_id ?? '' })
  return { ...found, workspaces: all }
}

export const restore: Operation<typeof internal.restoreWorkspace> = async (tx) => {
  await restoreWorkspace(tx)
  const workspace = await loadWorkspace(tx)
  tx.note({ noun: 'workspace', id: workspace.id, op: 'update', revision: workspace.updated_at })
  return workspace
}

export const update: Operation<typeof internal.updateWorkspace> = async (tx, _, { body }) => {
  const workspace = await identity.loadWorkspace(tx)
  if (!workspace) throw notFound()
  const { id, updated_at } = await identity.changeWorkspace(tx, workspace, body)
  if (updated_at !== workspace.updated_at) {
    tx.note({ noun: 'workspace', id, op: 'update', revision: updated_at })
  }
  return loadWorkspace(tx)
}

export const usage: Operation<typeof internal.getUsage> = async (tx) => {
  const since = timestampOf(tx.instant - DAY_MS)
  const { requests_per_minute: limit } = await loadWorkspace(tx)
  const minutes = await tx.all(minutesSince, { since })
  const credentials = await tx.all(busiest, { since, limit: MOST_CREDENTIALS })
  return {
    limit,
    minutes,
    credentials: credentials.map(({ id, type, name, ...counts }) =>
      id === ''
        ? { type: 'others', id: null, name: null, ...counts }
        : { type: KINDS[type] ?? 'api_key', id, name, ...counts },
    ),
  }
}

/** Kinds of actors as `/me` names their credentials. */
const KINDS: Record<string, 'api_key' | 'oauth' | 'session'> = {
  api_key: 'api_key',
  app: 'oauth',
  user: 'session',
}
