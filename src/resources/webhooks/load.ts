import { refuseAllButManagers } from '#core/managers.ts'
import { notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { webhookById } from './store.ts'

/** The webhook, for owners and admins; whoever else asks learns not even whether there is one. */
export async function loadWebhook(tx: ReadTx, id: string) {
  refuseAllButManagers(tx)
  const webhook = await tx.one(webhookById, { id, now: tx.now })
  if (!webhook) throw notFound()
  return webhook
}
