import { notFound } from '#core/api-error.ts'
import { assertManager } from '#core/managers.ts'
import type { ReadTx } from '#core/transaction.ts'
import { webhookById } from './store.ts'

/** The webhook, for owners and admins; for everybody else 403, whether or not it exists. */
export async function loadWebhook(tx: ReadTx, id: string) {
  assertManager(tx)
  const webhook = await tx.one(webhookById, { id, now: tx.now })
  if (!webhook) throw notFound()
  return webhook
}
