import { conflict } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { newToken } from '#lib/token.ts'
import type { Scope } from '#wire/scopes.ts'
import { hashOfKey } from './authenticate.ts'
import { insertKey, keysOfUser, MOST_KEYS, personOfKey, removeKey } from './keys.ts'

export interface NewKey {
  user_id: string
  name: string
  scopes: readonly Scope[]
  expires_at: string | null
}

/** An API key as it is shown (contract 6.9). */
export interface ApiKey {
  id: string
  name: string
  user_id: string
  hint: string
  scopes: Scope[]
  expires_at: string | null
  last_used_at: string | null
  created_at: string
}

/** Makes an API key for a member. `api_key` is told here and never again: only its hash is kept. */
export async function createKey(
  tx: WriteTx,
  { user_id, name, scopes, expires_at }: NewKey,
): Promise<ApiKey & { api_key: string }> {
  const { count } = (await tx.one(keysOfUser, { user_id })) ?? { count: 0 }
  if (count >= MOST_KEYS) {
    throw conflict('limit_reached', `A person has at most ${MOST_KEYS} API keys.`)
  }
  const api_key = newToken('dkt_')
  const key: ApiKey = {
    id: newId('key', tx.instant),
    name,
    user_id,
    hint: api_key.slice(0, 8),
    scopes: [...new Set(scopes)].toSorted(),
    expires_at,
    last_used_at: null,
    created_at: tx.now,
  }
  await tx.run(insertKey, {
    ...key,
    scopes: JSON.stringify(key.scopes),
    hash: hashOfKey(api_key),
  })
  tx.audit('api_key.created', key.id, { user_id, scopes: key.scopes, expires_at })
  return { ...key, api_key }
}

/** Ends an API key. Keys are remembered by every process: the caller advances the generation. */
export async function revokeKey(tx: WriteTx, id: string): Promise<void> {
  const key = await tx.one(personOfKey, { id })
  if (!key) return
  await tx.run(removeKey, { id })
  tx.audit('api_key.revoked', id, key)
}
