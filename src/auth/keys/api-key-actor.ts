import type { UserActor } from '#core/actor.ts'
import type { ReadTx } from '#core/transaction.ts'
import type { Scope } from '#wire/scopes.ts'
import { readSupervision } from '../supervision.ts'
import { apiKeyActorById, type apiKeyByHash } from './api-key-store.ts'

/** The actor of an API key. */
export const toApiKeyActor = (row: NonNullable<(typeof apiKeyByHash)['rowType']>): UserActor => ({
  ...row,
  ...readSupervision(row),
  type: 'api_key',
  scopes: new Set(JSON.parse(row.scopes) as Scope[]),
})

/**
 * Returns the actor of an API key without the key itself, to run what it has asked for with its rights of today;
 * undefined if it has ended.
 */
export async function actorOfApiKey(tx: ReadTx, id: string): Promise<UserActor | undefined> {
  const row = await tx.one(apiKeyActorById, { id })
  const isOver = row && row.expires_at !== null && row.expires_at <= tx.now
  return row && !isOver ? toApiKeyActor(row) : undefined
}
