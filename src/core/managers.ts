import { manages } from './actor.ts'
import { insufficientRole } from './refusal.ts'
import type { ReadTx } from './tx.ts'

/**
 * Stands before any look-up where only owners and admins may go: on paths of webhooks, deliveries and
 * events the 403 does not depend on whether the record exists (contract 2.3).
 */
export function refuseAllButManagers({ actor }: ReadTx): void {
  if (!manages(actor)) throw insufficientRole('This is for owners and admins of the workspace.')
}

/** The subject of an endpoint whose URL names no record and which only owners and admins may use. */
export const managersOnly = async (tx: ReadTx): Promise<undefined> => {
  refuseAllButManagers(tx)
}
