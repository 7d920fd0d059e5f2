import { conflict, notFound, validationFailed } from '#core/api-error.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { newToken } from '#lib/token.ts'
import { fieldError } from '#wire/field-error.ts'
import type { Scope } from '#wire/scopes.ts'
import type { Supervision } from '#wire/supervision.ts'
import { hashCredential, unauthenticated } from '../authenticator.ts'
import { findWorkspace } from '../workspaces/workspaces.ts'
import {
  activeMembershipOfUser,
  apiKeyById,
  apiKeyCountOfUser,
  changeRateLimitOfApiKey,
  insertApiKey,
  MAX_API_KEYS_PER_USER,
  removeApiKey,
} from './api-key-store.ts'

interface NewApiKey {
  user_id: string
  name: string
  scopes: readonly Scope[]
  expires_at: string | null
  /** Requests per minute; below the limit of the workspace. */
  rate_limit?: number | null
  /** What it may do only once a person has looked at it; null: nothing. */
  supervision?: Supervision | null
}

/** An API key as the API returns it (docs/spec/api.md#internal-resources). */
interface ApiKeyRecord {
  id: string
  name: string
  user_id: string
  hint: string
  scopes: Scope[]
  expires_at: string | null
  rate_limit: number | null
  supervision: Supervision | null
  allowed_until: string | null
  paused_at: string | null
  last_used_at: string | null
  created_at: string
}

/**
 * Creates an API key for a member. `api_key` is returned only this once: only its hash is stored. 401
 * for a user who is no longer a member: the key would work as soon as they are invited again.
 */
export async function createApiKey(
  tx: WriteTx,
  { user_id, name, scopes, expires_at, rate_limit = null, supervision = null }: NewApiKey,
): Promise<ApiKeyRecord & { api_key: string }> {
  if (!(await tx.one(activeMembershipOfUser, { user_id }))) throw unauthenticated('ended')
  await assertBelowWorkspaceLimit(tx, rate_limit)
  const { count } = (await tx.one(apiKeyCountOfUser, { user_id })) ?? { count: 0 }
  if (count >= MAX_API_KEYS_PER_USER) {
    throw conflict(
      'limit_reached',
      `You can have at most ${MAX_API_KEYS_PER_USER} API keys. Revoke one first.`,
    )
  }
  const api_key = newToken('dkt_')
  const key: ApiKeyRecord = {
    id: newId('key', tx.nowMs),
    name,
    user_id,
    hint: api_key.slice(0, 8),
    scopes: [...new Set(scopes)].toSorted(),
    expires_at,
    rate_limit,
    supervision,
    allowed_until: null,
    paused_at: null,
    last_used_at: null,
    created_at: tx.now,
  }
  const { allowed_until: _, paused_at: __, ...columns } = key
  await tx.run(insertApiKey, {
    ...columns,
    scopes: JSON.stringify(key.scopes),
    supervision: supervision && JSON.stringify(supervision),
    hash: hashCredential(api_key),
  })
  tx.audit('api_key.created', key.id, { user_id, scopes: key.scopes, expires_at, rate_limit })
  if (supervision) tx.audit('credential.supervised', key.id, { supervision })
  return { ...key, api_key }
}

/**
 * Changes how many requests per minute an API key may send; null leaves only the limit of the
 * workspace. Every process caches keys, so the caller must bump the auth version. 404 without such a
 * key, 422 if the limit is not below that of the workspace.
 */
export async function changeApiKeyRateLimit(
  tx: WriteTx,
  id: string,
  rate_limit: number | null,
): Promise<void> {
  const key = await tx.one(apiKeyById, { id })
  if (!key) throw notFound()
  await assertBelowWorkspaceLimit(tx, rate_limit)
  if (key.rate_limit === rate_limit) return
  await tx.run(changeRateLimitOfApiKey, { id, rate_limit })
  const details = { user_id: key.user_id, rate_limit: { from: key.rate_limit, to: rate_limit } }
  tx.audit('api_key.updated', id, details)
}

async function assertBelowWorkspaceLimit(tx: ReadTx, rate_limit: number | null): Promise<void> {
  if (rate_limit === null) return
  const workspace = await findWorkspace(tx)
  if (!workspace) throw notFound()
  const limit = tx.settings.requestsPerMinute[workspace.plan]
  if (rate_limit < limit) return
  const message = `must be below the limit of the workspace, ${limit} requests per minute`
  throw validationFailed(fieldError('rate_limit', 'too_large', message))
}

/** Revokes an API key. Every process caches keys, so the caller must bump the auth version. */
export async function revokeApiKey(tx: WriteTx, id: string): Promise<void> {
  const key = await tx.one(apiKeyById, { id })
  if (!key) return
  await tx.run(removeApiKey, { id })
  tx.audit('api_key.revoked', id, { user_id: key.user_id })
}
