import { conflictWith, notFound } from '#core/api-error.ts'
import { assertManager } from '#core/managers.ts'
import type { ReadTx } from '#core/transaction.ts'
import { deliveryById, deliveryDetailsById } from './store.ts'

/** The delivery, for owners and admins, unless its webhook has been deleted. */
export async function loadDelivery(tx: ReadTx, id: string) {
  assertManager(tx)
  const delivery = await tx.one(deliveryById, { id })
  if (!delivery) throw notFound()
  return delivery
}

/** The JSON of a delivery with its last request and all attempts. */
export async function loadDeliveryDetails(tx: ReadTx, id: string) {
  assertManager(tx)
  const delivery = await tx.one(deliveryDetailsById, { id })
  if (!delivery) throw notFound()
  return delivery
}

/** Nothing is sent to a disabled webhook, not even on demand (docs/spec/api.md#extensions). */
export function assertWebhookActive({ id, is_active }: { id: string; is_active: number }): void {
  if (is_active === 1) return
  const message = 'The webhook is disabled. Set `is_active` to true to enable it.'
  throw conflictWith('webhook_disabled', message, id)
}
