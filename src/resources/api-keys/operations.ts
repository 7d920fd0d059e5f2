import { bumpAuthVersion } from '#auth/auth-version.ts'
import * as identity from '#auth/keys/api-keys.ts'
import { viewerId } from '#core/actor.ts'
import { notFound, validationFailed } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { fieldError } from '#wire/field-error.ts'
import { SCOPE_PRESETS } from '#wire/scopes.ts'
import type { createKey, deleteKey, listKeys, updateKey } from './internal.ts'
import { visibleApiKeyById, visibleApiKeys } from './store.ts'

export const list: Operation<typeof listKeys> = async (tx, _, { page }) =>
  page.toPage(await tx.all(visibleApiKeys(toListOrder(page, null)), toPageWindow(page)))

export const create: Operation<typeof createKey> = async (tx, _, { body }) => {
  const { name, preset, scopes = preset ? SCOPE_PRESETS[preset] : [] } = body
  const { expires_at = null, rate_limit = null } = body
  if (expires_at !== null && expires_at <= tx.now) {
    throw validationFailed(fieldError('expires_at', 'invalid_value', 'must be in the future'))
  }
  const user_id = viewerId(tx.actor)
  const created = { user_id, name, scopes, expires_at, rate_limit }
  const key = await identity.createApiKey(tx, created)
  tx.noteChange({ noun: 'api_key', id: key.id, op: 'create', only_for: user_id })
  return key
}

/** The key, if it is the actor's own; owners and admins get every key. Otherwise 404. */
export async function loadApiKey(tx: ReadTx, { params }: { params: { id: string } }) {
  const key = await tx.one(visibleApiKeyById, { id: params.id })
  if (!key) throw notFound()
  return key
}

type LoadedApiKey = Awaited<ReturnType<typeof loadApiKey>>

export const update: Operation<typeof updateKey, LoadedApiKey> = async (tx, key, { body }) => {
  const { id, user_id } = key
  if (body.rate_limit === undefined) return key.json
  await identity.changeApiKeyRateLimit(tx, id, body.rate_limit)
  tx.noteChange({ noun: 'api_key', id, op: 'update', only_for: user_id })
  await bumpAuthVersion(tx)
  return (await loadApiKey(tx, { params: { id } })).json
}

export const remove: Operation<typeof deleteKey, LoadedApiKey> = async (tx, { id, user_id }) => {
  await identity.revokeApiKey(tx, id)
  tx.noteChange({ noun: 'api_key', id, op: 'delete', only_for: user_id })
  await bumpAuthVersion(tx)
}
