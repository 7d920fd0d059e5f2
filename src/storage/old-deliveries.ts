import type { WriteTx } from '#core/tx.ts'
import { forgetDelivered } from './old-events.ts'
import { command, query, type Scoped } from './statement.ts'
import type { DeliveryRow } from './tables.ts'

type Old = Pick<DeliveryRow, 'id' | 'sequence' | 'status'>

/** Deliveries between two ids, in the order of their making. */
export const deliveriesBetween = query(
  (db, $: Scoped<{ after: string; before: string; limit: number }>) =>
    db
      .selectFrom('deliveries')
      .select(['id', 'sequence', 'status'])
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '>', $.after)
      .where('id', '<', $.before)
      .orderBy('id')
      .limit($.limit),
)

/** A deleted webhook whose log is not removed yet. */
export const removedWebhook = query((db, $: Scoped) =>
  db
    .selectFrom('removed_webhooks')
    .select('webhook_id')
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('webhook_id')
    .limit(1),
)

/** Removes deliveries with their attempts, and the events that were kept for them alone. */
export async function forget(tx: WriteTx, deliveries: readonly Old[]): Promise<void> {
  if (deliveries.length === 0) return
  await tx.run(removeDeliveries, { ids: deliveries.map(({ id }) => id) })
  const sequences = deliveries.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]))
  await forgetDelivered(tx, [...new Set(sequences)])
}

/** Removes some of the log of a deleted webhook. Tells whether there may be more. */
export async function forgetLogOf(
  tx: WriteTx,
  webhook_id: string,
  limit: number,
): Promise<boolean> {
  const some = await tx.all(deliveriesOf, { webhook_id, limit })
  await forget(tx, some)
  if (some.length === limit) return true
  await tx.run(forgetRemoved, { webhook_id })
  return false
}

const deliveriesOf = query((db, $: Scoped<{ webhook_id: string; limit: number }>) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'sequence', 'status'])
    .where('workspace_id', '=', $.workspace_id)
    .where('webhook_id', '=', $.webhook_id)
    .orderBy('id')
    .limit($.limit),
)

/** Their attempts go with them: the key cascades. */
const removeDeliveries = command((db, $: Scoped<{ ids: string[] }>, { among }) =>
  db
    .deleteFrom('deliveries')
    .where('workspace_id', '=', $.workspace_id)
    .where(among('deliveries.id', $.ids)),
)

const forgetRemoved = command((db, $: Scoped<{ webhook_id: string }>) =>
  db
    .deleteFrom('removed_webhooks')
    .where('workspace_id', '=', $.workspace_id)
    .where('webhook_id', '=', $.webhook_id),
)
