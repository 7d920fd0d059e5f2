import { createApiKey } from '#auth/keys/api-keys.ts'
import type { WriteTx } from '#core/transaction.ts'
import { insertPendingOperation } from '#db/operations/pending-operations.ts'
import { newId } from '#lib/id.ts'
import { SCOPES } from '#wire/scopes.ts'

/** Inserts a request of a new API key of a person, to delete a task that does not exist, and returns its id. */
export async function insertTestPendingOperation(tx: WriteTx, user_id: string): Promise<string> {
  const key = { user_id, name: 'Agent', scopes: SCOPES, expires_at: null }
  const { id: credential_id } = await createApiKey(tx, key)
  const id = newId('opr', tx.nowMs)
  await tx.run(insertPendingOperation, {
    id,
    user_id,
    actor_type: 'api_key',
    credential_id,
    grant_id: null,
    status: 'pending',
    endpoint: 'DELETE /api/v1/tasks/:id',
    request: JSON.stringify({
      params: { id: newId('tsk') },
      query: {},
      body: null,
      allowed: null,
      scopes: SCOPES,
    }),
    fingerprint: id,
    reasons: '["deletions"]',
    record_count: 1,
    preview: '[]',
    digest: '',
    created_at: tx.now,
  })
  return id
}
