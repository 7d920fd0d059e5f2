import { bumpAuthVersion } from '#auth/auth-version.ts'
import * as identity from '#auth/keys/api-keys.ts'
import { changeSupervision } from '#auth/supervision.ts'
import { notFound } from '#core/api-error.ts'
import { allowAnyRole, type Operation, readRoute, writeRoute } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { deleteKey, listKeys, updateKey } from './internal.ts'
import { visibleApiKeyById, visibleApiKeys } from './store.ts'

const list: Operation<typeof listKeys> = async (tx, _, { page }) =>
  page.toPage(await tx.all(visibleApiKeys(toListOrder(page, null)), toPageWindow(page)))

/** The key, if it is the actor's own; owners and admins get every key. Otherwise 404. */
async function loadApiKey(tx: ReadTx, { params }: { params: { id: string } }) {
  const key = await tx.one(visibleApiKeyById, { id: params.id })
  if (!key) throw notFound()
  return key
}

type LoadedApiKey = Awaited<ReturnType<typeof loadApiKey>>

const update: Operation<typeof updateKey, LoadedApiKey> = async (tx, key, { body }) => {
  const { id, user_id } = key
  const { rate_limit, ...supervision } = body
  if (Object.keys(body).length === 0) return key.json
  if (rate_limit !== undefined) await identity.changeApiKeyRateLimit(tx, id, rate_limit)
  await changeSupervision(tx, 'api_keys', id, supervision)
  tx.noteChange({ noun: 'api_key', id, only_for: user_id })
  await bumpAuthVersion(tx)
  return (await loadApiKey(tx, { params: { id } })).json
}

const remove: Operation<typeof deleteKey, LoadedApiKey> = async (tx, { id, user_id }) => {
  await identity.revokeApiKey(tx, id)
  tx.noteChange({ noun: 'api_key', id, only_for: user_id })
  await bumpAuthVersion(tx)
}

/** Creating one is a session action in `src/accounts`: it confirms the user first. */
export const apiKeys = [
  readRoute(listKeys, allowAnyRole, list),
  writeRoute(updateKey, loadApiKey, update),
  writeRoute(deleteKey, loadApiKey, remove),
]
