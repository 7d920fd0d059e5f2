import { sql } from 'kysely'
import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import { earliestDueAt } from '#db/deliveries/delivery-queue.ts'
import type { DeliveryAttemptRow, DeliveryRow } from '#db/schema/tables.ts'

/** Status and attempt count of those deliveries that still exist. */
export const existingDeliveries = query((db, $: Scoped<{ ids: string[] }>, { inList }) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'status', 'attempt_count'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('deliveries.id', $.ids)),
)

type DeliveryUpdate = Pick<
  DeliveryRow,
  | 'id'
  | 'status'
  | 'attempt_count'
  | 'due_at'
  | 'last_attempt_at'
  | 'response_status'
  | 'duration_ms'
  | 'error'
  | 'completed_at'
>

/** Updates a delivery after an attempt. */
export const updateDelivery = command((db, $: Scoped<DeliveryUpdate>) =>
  db
    .updateTable('deliveries')
    .set({
      ...pickSlots(
        $,
        'status',
        'attempt_count',
        'due_at',
        'last_attempt_at',
        'response_status',
        'duration_ms',
        'error',
      ),
      completed_at: sql`coalesce(completed_at, ${$.completed_at})`,
    })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const insertDeliveryAttempt = command((db, $: Scoped<DeliveryAttemptRow>) =>
  db
    .insertInto('delivery_attempts')
    .values(
      pickSlots(
        $,
        'workspace_id',
        'delivery_id',
        'number',
        'started_at',
        'duration_ms',
        'response_status',
        'response_body',
        'error',
        'url',
        'headers',
      ),
    ),
)

/** Unblocks the next delivery of a lane. */
export const releaseNextInLane = command((db, $: Scoped<{ webhook_id: string; lane: string }>) =>
  db
    .updateTable('deliveries')
    .set({ blocked: 0 })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', (is) =>
      is
        .selectFrom('deliveries as waiting')
        .select('waiting.id')
        .where('waiting.workspace_id', '=', $.workspace_id)
        .where('waiting.webhook_id', '=', $.webhook_id)
        .where('waiting.lane', '=', $.lane)
        .where('waiting.status', '=', sql.lit('pending'))
        .where('waiting.blocked', '=', sql.lit(1))
        .orderBy('waiting.sequence')
        .limit(sql.lit(1)),
    ),
)

/**
 * A summary of attempts to a webhook; `failures` and `failing_since` count from the last success.
 */
interface WebhookHealth {
  id: string
  /** Of the deliveries; a later activation of the webhook ignores their results. */
  activation: number
  /** How many are no longer pending. */
  ended: number
  succeeded: number
  failures: number
  failing_since: string | null
  last_delivery_at: string | null
  last_success_at: string | null
  last_failure_at: string | null
  now: string
}

/** Updates the failure counters of a webhook, and when its next delivery is due. */
export const updateWebhookHealth = command((db, $: Scoped<WebhookHealth>) =>
  db
    .updateTable('webhooks')
    .set({
      failure_count: sql`case when activation <> ${$.activation} then failure_count
        when ${$.succeeded} = 1 then ${$.failures} else failure_count + ${$.failures} end`,
      failing_since: sql`case when activation <> ${$.activation} then failing_since
        when ${$.succeeded} = 1 then ${$.failing_since}
        else coalesce(failing_since, ${$.failing_since}) end`,
      last_delivery_at: sql`coalesce(${$.last_delivery_at}, last_delivery_at)`,
      last_success_at: sql`coalesce(${$.last_success_at}, last_success_at)`,
      last_failure_at: sql`coalesce(${$.last_failure_at}, last_failure_at)`,
      pending_count: sql`pending_count - ${$.ended}`,
      next_due_at: sql`case when has_stale = 1 then ${$.now} else (${earliestDueAt}) end`,
    })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** The current URL and activation of some webhooks. */
export const currentWebhookUrls = query((db, $: Scoped<{ ids: string[] }>, { inList }) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'url', 'activation'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('webhooks.id', $.ids)),
)

/** The active webhooks among some that have failed too often and too long, and must be disabled. */
export const webhooksToDisable = query(
  (db, $: Scoped<{ ids: string[]; attempts: number; since: string }>, { inList }) =>
    db
      .selectFrom('webhooks')
      .select('id')
      .where('workspace_id', '=', $.workspace_id)
      .where(inList('webhooks.id', $.ids))
      .where('is_active', '=', 1)
      .where('failure_count', '>=', $.attempts)
      .where('failing_since', '<=', $.since),
)
