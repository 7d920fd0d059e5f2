import { sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import { command, query, type Scoped, unscopedQuery } from '../core/statement.ts'
import { deleteUndeliveredEvents } from '../events/event-retention.ts'
import { sizeOf } from '../retention/step-rows.ts'
import type { DeliveryRow } from '../schema/tables.ts'

type DeliveryToDelete = Pick<DeliveryRow, 'id' | 'sequence' | 'status'>

/** In bytes, with the event, which may be deleted with its last delivery. */
const deliverySize = sql<number>`${sizeOf('payload')} + coalesce((select ${sizeOf('events.payload')}
  from events where events.workspace_id = deliveries.workspace_id
    and events.sequence = deliveries.sequence), 0)`.as('size')

/** Deliveries between two ids, in order of creation. */
export const deliveriesBetween = query(
  (db, $: Scoped<{ after: string; before: string; limit: number }>) =>
    db
      .selectFrom('deliveries')
      .select(['id', 'sequence', 'status', deliverySize])
      .where('id', '>', $.after)
      .where('id', '<', $.before)
      .orderBy('id')
      .limit($.limit),
)

/** The workspaces of a range with deleted webhooks whose deliveries are not all removed yet. */
export const workspacesWithRemovedWebhooks = unscopedQuery(
  (db, $: { after: string; through: string }) =>
    db
      .selectFrom('removed_webhooks')
      .select('workspace_id as id')
      .distinct()
      .where('workspace_id', '>', $.after)
      .where('workspace_id', '<=', $.through),
)

/** A deleted webhook whose deliveries are not all removed yet. */
export const removedWebhook = query((db) =>
  db.selectFrom('removed_webhooks').select('webhook_id').orderBy('webhook_id').limit(1),
)

/** Removes deliveries with their attempts, and the events that were kept for them alone. */
export async function deleteDeliveries(
  tx: WriteTx,
  deliveries: readonly DeliveryToDelete[],
): Promise<void> {
  if (deliveries.length === 0) return
  await tx.run(deleteDeliveryRows, { ids: deliveries.map(({ id }) => id) })
  const sequences = deliveries.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]))
  await deleteUndeliveredEvents(tx, [...new Set(sequences)])
}

/** Removes a batch of a deleted webhook's deliveries. Returns whether there may be more. */
export async function deleteLogOfRemovedWebhook(
  tx: WriteTx,
  webhook_id: string,
  limit: number,
): Promise<boolean> {
  const oldest = await tx.all(deliveriesOfWebhook, { webhook_id, limit })
  const deliveries = takeSized(oldest, MAX_STEP_BYTES)
  await deleteDeliveries(tx, deliveries)
  if (oldest.length === limit || deliveries.length < oldest.length) return true
  await tx.run(deleteRemovedWebhook, { webhook_id })
  return false
}

const deliveriesOfWebhook = query((db, $: Scoped<{ webhook_id: string; limit: number }>) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'sequence', 'status', deliverySize])
    .where('webhook_id', '=', $.webhook_id)
    .orderBy('id')
    .limit($.limit),
)

/** Their attempts are deleted by the cascading foreign key. */
const deleteDeliveryRows = command((db, $: Scoped<{ ids: string[] }>, { inList }) =>
  db.deleteFrom('deliveries').where(inList('deliveries.id', $.ids)),
)

const deleteRemovedWebhook = command((db, $: Scoped<{ webhook_id: string }>) =>
  db.deleteFrom('removed_webhooks').where('webhook_id', '=', $.webhook_id),
)
