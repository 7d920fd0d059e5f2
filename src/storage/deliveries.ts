import { sql } from 'kysely'
import { later } from '#core/later.ts'
import type { WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { tellOfWebhook } from './notifications.ts'
import { command, query, row, type Scoped } from './statement.ts'
import type { DeliveryRow } from './tables.ts'

/** Which deliveries of a webhook wait their turn among each other. */
export const QUEUES = { direct: 0, live: 1, replay: 2 } as const

/** So many attempts hold a lane back; then the next in it is tried as well (contract 8.3). */
export const HOLDING_ATTEMPTS = 4

type Wanted = Pick<
  DeliveryRow,
  | 'webhook_id'
  | 'event_id'
  | 'event_type'
  | 'sequence'
  | 'payload'
  | 'queue'
  | 'lane'
  | 'activation'
  | 'is_test'
  | 'redelivery_of_id'
>

/** A delivery to be: what is not said is that of an event as it comes. */
export type NewDelivery = Omit<Wanted, 'payload' | 'is_test' | 'redelivery_of_id'> &
  Partial<Pick<Wanted, 'payload' | 'is_test' | 'redelivery_of_id'>>

/**
 * Queues deliveries, in the order in which they come, and gives their ids. One that follows an
 * unfinished one in its lane is blocked until that one is out of the way.
 */
export async function queueDeliveries(
  tx: WriteTx,
  wanted: readonly NewDelivery[],
): Promise<string[]> {
  if (wanted.length === 0) return []
  const lanes = new Set<string>()
  const rows = wanted.map((delivery) => {
    const lane = delivery.lane === null ? null : `${delivery.webhook_id} ${delivery.lane}`
    const follows = lane !== null && lanes.has(lane) ? 1 : 0
    if (lane !== null) lanes.add(lane)
    const id = newId('dlv', tx.instant)
    return { ...NOT_SAID, ...delivery, id, follows, created_at: tx.now }
  })
  await tx.each(insertDelivery, rows)
  const counts = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  const queued = [...counts].map(([id, those]) => ({ id, count: those.length, now: tx.now }))
  await tx.each(noteQueued, queued)
  for (const { id } of queued) noteWebhook(tx, id)
  return rows.map(({ id }) => id)
}

/** Why a webhook gets nothing any more (contract 6.7). */
export type Reason = 'manual' | 'gone' | 'failures'

/**
 * Disables a webhook and cancels what waits for it, as much of it as one step may: the dispatcher
 * cancels the rest. One that is disabled already keeps its reason.
 */
export async function disableWebhook(
  tx: WriteTx,
  { id, reason }: { id: string; reason: Reason },
): Promise<void> {
  const webhook = await tx.one(activeById, { id })
  if (!webhook) return
  const updated_at = later(tx, webhook.updated_at)
  await tx.run(disable, { id, disabled_reason: reason, updated_at })
  await cancelStale(tx, id)
  noteWebhook(tx, id)
  tx.audit('webhook.disabled', id, { reason })
  if (reason !== 'manual') {
    await tellOfWebhook(tx, { id, detail: 'disabled', since: updated_at })
  }
}

/** Says that a webhook, or its log, has changed: to those who may manage it. */
export const noteWebhook = (
  tx: WriteTx,
  id: string,
  op: 'create' | 'update' | 'delete' = 'update',
) => tx.note({ noun: 'webhook', id, op, only_for: '' })

/** How many deliveries one step cancels, so that it holds nobody up. */
const CANCELED_AT_ONCE = 500

/**
 * Cancels pending deliveries of earlier activations of a webhook, as many as one step may. Tells
 * whether there may be more: then the webhook stays noted as having some.
 */
export async function cancelStale(tx: WriteTx, webhook_id: string): Promise<boolean> {
  const limit = CANCELED_AT_ONCE
  const canceled = await tx.run(cancelSome, { webhook_id, now: tx.now, limit })
  const has_stale = canceled === limit ? 1 : 0
  await tx.run(noteCanceled, { webhook_id, canceled, has_stale, now: tx.now })
  return has_stale === 1
}

const NOT_SAID = { payload: null, is_test: 0, redelivery_of_id: null }

type Inserted = Wanted & { id: string; follows: number; created_at: string }

const insertDelivery = command((db, $: Scoped<Inserted>) =>
  db.insertInto('deliveries').values({
    ...row(
      $,
      'workspace_id',
      'id',
      'webhook_id',
      'event_id',
      'event_type',
      'sequence',
      'payload',
      'queue',
      'lane',
      'activation',
      'is_test',
      'redelivery_of_id',
      'created_at',
    ),
    blocked: sql`case when ${$.follows} = 1 or exists (
      select 1 from deliveries as earlier
      where earlier.workspace_id = ${$.workspace_id} and earlier.webhook_id = ${$.webhook_id}
        and earlier.lane = ${$.lane} and earlier.status = 'pending'
        and earlier.attempt_count < ${sql.lit(HOLDING_ATTEMPTS)}
    ) then 1 else 0 end`,
    status: sql.lit('pending'),
    attempt_count: sql.lit(0),
    due_at: $.created_at,
  }),
)

const noteQueued = command((db, $: Scoped<{ id: string; count: number; now: string }>) =>
  db
    .updateTable('webhooks')
    .set((is) => ({
      pending_count: is('pending_count', '+', $.count),
      next_due_at: sql`case when next_due_at < ${$.now} then next_due_at else ${$.now} end`,
    }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

const activeById = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('webhooks')
    .select('updated_at')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('is_active', '=', 1),
)

/** With the next activation all that was queued before is stale. */
const disable = command(
  (db, $: Scoped<{ id: string; disabled_reason: Reason; updated_at: string }>) =>
    db
      .updateTable('webhooks')
      .set((is) => ({
        is_active: 0,
        disabled_reason: $.disabled_reason,
        activation: is('activation', '+', 1),
        updated_at: $.updated_at,
      }))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)

type Stale = Scoped<{ webhook_id: string; now: string; limit: number }>

/**
 * The earliest activation first: that is the order of their index, and along another this would read
 * past all that was canceled before it.
 */
const cancelSome = command((db, $: Stale) =>
  db
    .updateTable('deliveries')
    .set({ status: 'canceled', completed_at: $.now, blocked: 0 })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', 'in', (is) =>
      is
        .selectFrom('deliveries as some')
        .select('some.id')
        .where('some.workspace_id', '=', $.workspace_id)
        .where('some.webhook_id', '=', $.webhook_id)
        .where('some.status', '=', sql.lit('pending'))
        .where('some.activation', '<', (webhook) =>
          webhook
            .selectFrom('webhooks')
            .select('webhooks.activation')
            .where('webhooks.workspace_id', '=', $.workspace_id)
            .where('webhooks.id', '=', $.webhook_id),
        )
        .orderBy('some.activation')
        .limit($.limit),
    ),
)

/** The first due of the deliveries of a webhook in a queue: a look at one end of an index. */
const firstDueIn = (queue: number) => sql`select min(due_at) as due_at from deliveries
  where deliveries.workspace_id = webhooks.workspace_id and deliveries.webhook_id = webhooks.id
    and deliveries.activation = webhooks.activation and deliveries.status = 'pending'
    and deliveries.blocked = 0 and deliveries.queue = ${sql.lit(queue)}`

/** When the first of the deliveries of the webhook in whose update this stands is due. */
export const firstDue = sql`select min(due_at) from (${sql.join(
  Object.values(QUEUES).map(firstDueIn),
  sql` union all `,
)}) as queues`

type Canceled = Scoped<{ webhook_id: string; canceled: number; has_stale: number; now: string }>

const noteCanceled = command((db, $: Canceled) =>
  db
    .updateTable('webhooks')
    .set((is) => ({
      pending_count: is('pending_count', '-', $.canceled),
      has_stale: $.has_stale,
      next_due_at: sql`case when ${$.has_stale} = 1 then ${$.now} when is_active = 1 then (${firstDue}) end`,
    }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.webhook_id),
)
