import { sql } from 'kysely'
import type { Dialect } from '#db/core/dialect.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import type { Delivery, DeliveryDetails } from './contract.ts'

const DELIVERY_FIELDS = {
  id: 'plain',
  webhook_id: 'plain',
  event_id: 'plain',
  event_type: 'plain',
  sequence: 'plain',
  status: 'plain',
  attempt_count: 'plain',
  next_attempt_at: sql`case when deliveries.status = 'pending' and deliveries.blocked = 0
    then deliveries.due_at end`,
  last_attempt_at: 'plain',
  response_status: 'plain',
  duration_ms: 'plain',
  error: 'plain',
  is_test: 'flag',
  redelivery_of_id: 'plain',
  created_at: 'plain',
  completed_at: 'plain',
} as const

/** The JSON of a delivery. */
export const deliveryJson = ({ json }: Dialect) => json<Delivery>('deliveries', DELIVERY_FIELDS)

/**
 * The JSON with the last request and all attempts. Needs events, and the last attempt as `last`.
 */
const deliveryDetailsJson = ({ engine, json }: Dialect, $: Scoped) => {
  const request = json<DeliveryDetails['request'] & object>('last', {
    url: 'plain',
    headers: 'json',
    body: sql`coalesce(deliveries.payload, events.payload)`,
  })
  const attempt = json<DeliveryDetails['attempts'][number]>('made', {
    number: 'whole',
    started_at: 'word',
    duration_ms: 'whole',
    response_status: 'plain',
    response_body: 'plain',
    error: 'plain',
  })
  const requested = sql`case when last.number is null then 'null' else ${request} end`
  const attempts = sql`(select coalesce('[' || string_agg(${attempt}, ',' order by made.number) || ']', '[]')
    from delivery_attempts as made
    where made.workspace_id = ${$.workspace_id} and made.delivery_id = deliveries.id)`
  const asJson = (text: typeof attempts) =>
    engine === 'sqlite' ? sql`json(${text})` : sql`(${text})::json`
  return json<DeliveryDetails>('deliveries', {
    ...DELIVERY_FIELDS,
    request: asJson(requested),
    attempts: asJson(attempts),
  })
}

/** A delivery, with the state of its webhook; none if the webhook has been deleted. */
export const deliveryById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .select([
      'deliveries.id',
      'deliveries.webhook_id',
      'deliveries.event_id',
      'deliveries.event_type',
      'deliveries.sequence',
      'deliveries.payload',
      'deliveries.is_test',
      'webhooks.is_active',
      'webhooks.activation',
      deliveryJson(dialect).as('json'),
    ])
    .where('deliveries.id', '=', $.id),
)

export const deliveryDetailsById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .leftJoin('events', 'events.sequence', 'deliveries.sequence')
    .leftJoin('delivery_attempts as last', (join) =>
      join
        .onRef('last.delivery_id', '=', 'deliveries.id')
        .onRef('last.number', '=', 'deliveries.attempt_count'),
    )
    .select(deliveryDetailsJson(dialect, $).as('json'))
    .where('deliveries.id', '=', $.id),
)

/** The number of pending deliveries of a webhook. */
export const pendingDeliveryCount = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('webhooks').select('pending_count').where('id', '=', $.id),
)
