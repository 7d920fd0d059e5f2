import { refuseAllButManagers } from '#core/managers.ts'
import { conflict, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { deliveryById, wholeDeliveryById } from './store.ts'

/** The delivery, for owners and admins, while its webhook is there. */
export async function loadDelivery(tx: ReadTx, id: string) {
  refuseAllButManagers(tx)
  const delivery = await tx.one(deliveryById, { id })
  if (!delivery) throw notFound()
  return delivery
}

/** The same as JSON, with all that was sent and answered. */
export async function loadWholeDelivery(tx: ReadTx, id: string) {
  refuseAllButManagers(tx)
  const delivery = await tx.one(wholeDeliveryById, { id })
  if (!delivery) throw notFound()
  return delivery
}

/** To a disabled webhook nothing is sent, not even on demand (contract 7.3). */
export function refuseDisabled({ is_active }: { is_active: number }): void {
  if (is_active === 1) return
  throw conflict('webhook_disabled', 'The webhook is disabled. Enable it with is_active: true.')
}
