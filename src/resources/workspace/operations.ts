import {
  changeSecondFactorPolicy,
  loadSecondFactorPolicy,
} from '#auth/second-factor/second-factor.ts'
import * as identity from '#auth/workspaces/workspaces.ts'
import {
  findWorkspace,
  loadWorkspaceDeletion,
  undeleteWorkspace,
} from '#auth/workspaces/workspaces.ts'
import { lacksSecondFactor, may, viewerId } from '#core/actor.ts'
import { ApiError, conflict, insufficientRole, notFound } from '#core/api-error.ts'
import { assertManager } from '#core/managers.ts'
import { OTHER_KEYS, OTHER_SESSIONS } from '#core/merged-credentials.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { type StoredBytes, storedBytes } from '#db/workspaces/stored-bytes.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { loadWorkspaceRecord } from '#resources/me/operations.ts'
import type * as internal from './internal.ts'
import { activeWorkspacesOfUser, busiestCredentials, requestsByMinute } from './store.ts'

export const readSignInRule: Operation<typeof internal.getSignInRule> = (tx) =>
  loadSecondFactorPolicy(tx)

/** Only owners require a second factor, which then applies to themselves too. */
export async function assertCanChangeSignInRule({ actor }: ReadTx): Promise<undefined> {
  if (!may(actor, 'own_workspace'))
    throw insufficientRole('Only owners can require two-factor authentication.')
}

export const changeSignInRule: Operation<typeof internal.updateSignInRule> = async (
  tx,
  _,
  { body },
) => {
  if (body.second_factor === 'required' && !tx.actor.has_passed_second_factor) {
    const message =
      'Before you require two-factor authentication, set up your own or sign in with it.'
    throw conflict('second_factor_missing', message)
  }
  if (body.second_factor !== undefined) await changeSecondFactorPolicy(tx, body.second_factor)
  return loadSecondFactorPolicy(tx)
}

export const readSecondFactorStatus: Operation<typeof internal.getSecondFactorStatus> = async (
  tx,
) => {
  const workspace = await findWorkspace(tx)
  if (!workspace) throw notFound()
  const allWorkspaces = await tx.all(activeWorkspacesOfUser, { user_id: viewerId(tx.actor) })
  const workspaces = allWorkspaces.filter(({ id }) => id !== workspace.id)
  return { name: workspace.name, is_missing: lacksSecondFactor(tx.actor), workspaces }
}

/** The reply lists at most this many credentials. */
const MAX_CREDENTIALS = 20

/**
 * Owners and admins change the workspace. Only owners change its plan, unless the operator locks
 * it.
 */
export async function assertCanChangeWorkspace(
  tx: ReadTx,
  { body }: { body: unknown },
): Promise<undefined> {
  assertManager(tx)
  if (!Object.hasOwn(Object(body), 'plan')) return undefined
  if (!may(tx.actor, 'own_workspace')) throw insufficientRole('Only owners can change the plan.')
  if (tx.settings.planLocked) {
    throw new ApiError(403, 'plan_locked', 'Only your operator can change the plan.')
  }
  return undefined
}

export const get: Operation<typeof internal.getWorkspace> = (tx) => loadWorkspaceRecord(tx)

/** Only owners see and restore a deleted workspace. */
export async function assertCanRestoreWorkspace({ actor }: ReadTx): Promise<undefined> {
  if (!may(actor, 'own_workspace'))
    throw insufficientRole('Only owners can delete or restore a workspace.')
}

export const readDeletion: Operation<typeof internal.getWorkspaceDeletion> = async (tx) => {
  const deleted = await loadWorkspaceDeletion(tx)
  const workspaces = await tx.all(activeWorkspacesOfUser, { user_id: viewerId(tx.actor) })
  return { ...deleted, workspaces }
}

export const restore: Operation<typeof internal.restoreWorkspace> = async (tx) => {
  await undeleteWorkspace(tx)
  const workspace = await loadWorkspaceRecord(tx)
  tx.noteChange({ noun: 'workspace', id: workspace.id })
  return workspace
}

export const update: Operation<typeof internal.updateWorkspace> = async (tx, _, { body }) => {
  const workspace = await identity.findWorkspace(tx)
  if (!workspace) throw notFound()
  const { id, updated_at } = await identity.changeWorkspace(tx, workspace, body)
  if (updated_at !== workspace.updated_at) tx.noteChange({ noun: 'workspace', id })
  return loadWorkspaceRecord(tx)
}

export const readUsage: Operation<typeof internal.getUsage> = async (tx) => {
  const since = timestampOf(tx.nowMs - DAY_MS)
  const { requests_per_minute: limit } = await loadWorkspaceRecord(tx)
  const minutes = await tx.all(requestsByMinute, { since })
  const credentials = await tx.all(busiestCredentials, { since, limit: MAX_CREDENTIALS })
  const stored = await tx.one(storedBytes, {})
  if (!stored) throw notFound()
  return {
    limit,
    minutes,
    storage: toStorageUsage(tx, stored),
    credentials: credentials.map(({ id, type, name, ...counts }) => {
      if (id === OTHER_KEYS) return { type: 'others', id: null, name: null, ...counts }
      if (id === OTHER_SESSIONS) return { type: 'session', id: null, name: null, ...counts }
      return { type: CREDENTIAL_TYPES[type] ?? 'api_key', id, name, ...counts }
    }),
  }
}

/** Counters that an upgrade or a correction has left below zero are shown as none. */
const toStorageUsage = (
  { settings }: ReadTx,
  { content_bytes, history_bytes, attachment_bytes }: StoredBytes,
) => ({
  limit: settings.workspaceBytes,
  used: Math.max(0, content_bytes + history_bytes),
  files: attachment_bytes,
  history: Math.max(0, history_bytes),
})

/** The credential types of `/me`, by actor type. */
const CREDENTIAL_TYPES: Record<string, 'api_key' | 'oauth' | 'session'> = {
  api_key: 'api_key',
  app: 'oauth',
  user: 'session',
}
