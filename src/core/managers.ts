import { may } from './actor.ts'
import { insufficientRole } from './api-error.ts'
import type { ReadTx } from './transaction.ts'

/**
 * Throws 403 unless the actor is an owner or admin. Call it before any lookup: for webhooks,
 * deliveries and events the 403 must not depend on whether the record exists (docs/spec/api.md#order-of-checks).
 */
export function assertManager({ actor }: ReadTx): void {
  if (!may(actor, 'manage_workspace')) throw insufficientRole('Only owners and admins can do this.')
}

/** The loader of endpoints without a record in the URL that only owners and admins may use. */
export const allowManagers = async (tx: ReadTx): Promise<undefined> => {
  assertManager(tx)
}
