import { invalid, notFound } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { advanceGeneration } from '#identity/generation.ts'
import * as identity from '#identity/new-key.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { fault } from '#wire/fault.ts'
import { PRESETS } from '#wire/scopes.ts'
import type { createKey, deleteKey, listKeys } from './internal.ts'
import { keyInSight, keysInSight } from './store.ts'

export const list: Operation<typeof listKeys> = async (tx, _, { page }) =>
  page.cut(await tx.all(keysInSight(orderOf(page, null)), windowOf(page)))

export const create: Operation<typeof createKey> = async (tx, _, { body }) => {
  const { name, preset, scopes = preset ? PRESETS[preset] : [], expires_at = null } = body
  if (expires_at !== null && expires_at <= tx.now) {
    throw invalid(fault('expires_at', 'invalid_value', 'must be in the future'))
  }
  const user_id = tx.actor.user_id ?? ''
  const key = await identity.createKey(tx, { user_id, name, scopes, expires_at })
  tx.note({ noun: 'api_key', id: key.id, op: 'create', only_for: user_id })
  return key
}

/** A key of one's own, or of anybody for owners and admins; others' keys are not there. */
export async function keyToEnd(tx: ReadTx, { params }: { params: { id: string } }) {
  const key = await tx.one(keyInSight, { id: params.id })
  if (!key) throw notFound()
  return key
}

type Key = { id: string; user_id: string }

export const remove: Operation<typeof deleteKey, Key> = async (tx, { id, user_id }) => {
  await identity.revokeKey(tx, id)
  tx.note({ noun: 'api_key', id, op: 'delete', only_for: user_id })
  await advanceGeneration(tx)
}
